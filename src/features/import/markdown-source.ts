import { isUtf8 } from 'node:buffer';
import { opendir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { maxFolderNameLength } from '../../domain/folder.ts';
import { type ImportedNote, type ImportSource, idFor, lastImportedYear } from '../../domain/imported.ts';
import { maxTitleLength, noteTypes, unedited } from '../../domain/note.ts';
import { isOneLine, isStorableText, sameTextKey } from '../../lib/text.ts';
import type { openZip } from '../../lib/zip.ts';
import { maxTagsPerNote, tagName } from '../tags/schema.ts';

const ending = /\.md$/i;
const maxFileBytes = 1_000_000;
const maxPathLength = 600;
const frontMatter = /^---\r?\n([\s\S]*?)\r?\n---\r?\n+/;

/** One file, at its path from the top, with slashes. */
interface MarkdownFile {
  path: string;
  created: Date;
  updated: Date;
  bytes: number;
  read(): Promise<Buffer>;
}

/**
 * A folder of Markdown files, such as an Obsidian vault. Folders inside it become folders. Hidden files, links and files
 * that are too large or not text are left out; `leaveOut` gets the last two.
 */
export const markdownSource = (
  root: string,
  ownerId: string,
  leaveOut: (file: string) => void,
): ImportSource =>
  sourceOf(
    () => filesBelow(root, root),
    (path) => idFor(ownerId, path),
    (path) => leaveOut(join(root, path)),
  );

/**
 * The same as a zip. Different files that people send one after the other may have the same path, so its text is part of an
 * id. Raises `validation_error` for a file that is too large or not text.
 */
export const markdownZipSource = (
  zip: Pick<Awaited<ReturnType<typeof openZip>>, 'files' | 'bytes'>,
): ImportSource =>
  sourceOf(
    async function* () {
      for (const { path, bytes, updated } of zip.files())
        yield { path, bytes, created: updated, updated, read: () => buffer(zip.bytes(path)) };
    },
    (path, text) => idFor(text, path),
    (path) => {
      throw new AppError('validation_error', `${path} is larger than a megabyte or not text; leave it out.`);
    },
  );

/** Hidden files are not: macOS writes one beside each file of a zip. */
export const isMarkdownPath = (path: string) =>
  ending.test(path) &&
  !/(^|\/)\./.test(path) &&
  path.length <= maxPathLength &&
  isOneLine(path) &&
  isStorableText(path);

function sourceOf(
  files: () => AsyncIterable<MarkdownFile>,
  identify: (path: string, text: string) => string,
  leaveOut: (path: string) => void,
): ImportSource {
  const folderId = (name: string) => identify(`markdown folder ${name}`, '');
  function folderOf(path: string): string | undefined {
    const name = [...dirname(path)].slice(0, maxFolderNameLength).join('').trim();
    return name === '.' || sameTextKey(name) === '' ? undefined : name;
  }

  async function toNote(file: MarkdownFile): Promise<ImportedNote | undefined> {
    if (file.bytes > maxFileBytes) return undefined;
    const read = await file.read();
    const text = read.toString('utf8').replace(/^\uFEFF/, '');
    if (!isUtf8(read) || !isStorableText(text)) return undefined;
    const { path, created, updated } = file;
    const front = frontMatter.exec(text)?.[1] ?? '';
    const matter = fieldsOf(front);
    const title = matter.get('title') ?? basename(path).replace(ending, '');
    const folder = folderOf(path);
    return {
      ...unedited,
      tags: tagsIn(front),
      id: identify(`markdown ${path}`, text),
      user_id: '',
      client_note_id: path,
      title: [...title].slice(0, maxTitleLength).join(''),
      content: text.replace(frontMatter, ''),
      enhanced_content: null,
      note_type: noteTypes.find((type) => type === matter.get('note_type')) ?? 'personal',
      folder_id: folder === undefined ? null : folderId(folder),
      pinned: matter.get('pinned') === 'true',
      participants: null,
      calendar_event_id: null,
      transcript: null,
      created_at: timeOf(matter, ['created_at', 'created', 'date'], created),
      updated_at: timeOf(matter, ['updated_at', 'updated', 'modified'], updated),
    };
  }

  return {
    async *folders() {
      const names = new Set<string>();
      for await (const { path } of files()) names.add(folderOf(path) ?? '');
      names.delete('');
      const at = new Date().toISOString();
      for (const [sort_order, name] of [...names].sort().entries()) {
        const times = { created_at: at, updated_at: at };
        yield { id: folderId(name), name, sort_order, is_default: false, space_id: null, ...times };
      }
    },
    // Each file names its own.
    async *tags() {},
    async *notes() {
      for await (const file of files()) {
        const note = await toNote(file);
        if (note) yield note;
        else leaveOut(file.path);
      }
    },
    async *transcriptions() {},
    async *dictionary() {},
    async *recordings() {},
    async *snippets() {},
  };
}

async function* filesBelow(root: string, folder: string): AsyncGenerator<MarkdownFile> {
  for await (const entry of await opendir(folder)) {
    const file = join(folder, entry.name);
    const path = relative(root, file).split(sep).join('/');
    if (entry.isDirectory() && !entry.name.startsWith('.')) yield* filesBelow(root, file);
    if (!entry.isFile() || !isMarkdownPath(path)) continue;
    const { size: bytes, mtime: updated, birthtimeMs } = await stat(file);
    const created = new Date(birthtimeMs > 0 ? Math.min(birthtimeMs, updated.getTime()) : updated);
    yield { path, bytes, created, updated, read: () => readFile(file) };
  }
}

/** `tags` as a list of YAML in either form, or with commas between them. What cannot be a name of a tag is left out. */
function tagsIn(matter: string): { name: string }[] {
  const [, line = '', items = ''] = /^tags:(.*)((?:\r?\n[ \t]*-[ \t].*)*)/im.exec(matter) ?? [];
  const list = line.trim() === '' ? items.split(/\r?\n[ \t]*-[ \t]/) : inOneLine(line.trim());
  const names = list.map((item) => unquoted(item.trim().replace(/^'(.*)'$/, '$1')).replace(/^#/, ''));
  return names
    .flatMap((name) => tagName.safeParse(name).data ?? [])
    .slice(0, maxTagsPerNote)
    .map((name) => ({ name }));
}

/** A list of JSON is one of YAML too; others are split at their commas. */
function inOneLine(line: string): string[] {
  try {
    return z.array(z.string()).parse(JSON.parse(line));
  } catch {
    return line.replace(/^\[(.*)\]$/, '$1').split(',');
  }
}

/** The plain `name: value` lines. Other lists and nested values stay unread. */
function fieldsOf(matter: string): Map<string, string> {
  const fields = matter.split('\n').flatMap((line): [string, string][] => {
    const [, name, value = ''] = /^([\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
    const plain = value.startsWith('"') ? unquoted(value) : value;
    return name === undefined || plain === '' || plain === 'null' ? [] : [[name.toLowerCase(), plain]];
  });
  return new Map(fields);
}

function unquoted(value: string): string {
  try {
    return String(JSON.parse(value));
  } catch {
    return value;
  }
}

/** The first that an import takes. */
function timeOf(matter: ReadonlyMap<string, string>, names: readonly string[], ofFile: Date): string {
  const times = [...names.map((name) => new Date(matter.get(name) ?? '')), ofFile];
  const isUsual = (time: Date) => time.getFullYear() >= 1900 && time.getFullYear() <= lastImportedYear;
  return (times.find(isUsual) ?? new Date()).toISOString();
}
