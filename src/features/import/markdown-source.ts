import { opendir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { maxFolderNameLength } from '../../domain/folder.ts';
import { type ImportedNote, type ImportSource, idFor, lastImportedYear } from '../../domain/imported.ts';
import { maxTitleLength, noteTypes, unedited } from '../../domain/note.ts';
import { isStorableText } from '../../lib/text.ts';

const maxFileBytes = 1_000_000;
const frontMatter = /^---\r?\n([\s\S]*?)\r?\n---\r?\n+/;

/**
 * A folder of Markdown files, such as an Obsidian vault. Folders inside it become folders. Hidden files, links and files
 * that are too large or not text are left out; `leaveOut` gets the last two.
 */
export function markdownSource(
  root: string,
  ownerId: string,
  leaveOut: (file: string) => void,
): ImportSource {
  const folderId = (name: string) => idFor(ownerId, `markdown folder ${name}`);
  const folderOf = (file: string) => {
    const path = relative(root, dirname(file)).split(sep).join('/');
    return path === '' ? null : [...path].slice(0, maxFolderNameLength).join('').trim();
  };

  async function toNote(file: string): Promise<ImportedNote | undefined> {
    const { size, mtime, birthtimeMs } = await stat(file);
    const text = size > maxFileBytes ? undefined : (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
    if (text === undefined || !isStorableText(text)) return undefined;
    const matter = fieldsOf(frontMatter.exec(text)?.[1] ?? '');
    const title = matter.get('title') ?? basename(file, '.md');
    const updated_at = timeOf(matter, ['updated_at', 'updated', 'modified']) ?? mtime.toISOString();
    const birth = new Date(birthtimeMs > 0 ? Math.min(birthtimeMs, mtime.getTime()) : mtime).toISOString();
    const folder = folderOf(file);
    const path = relative(root, file).split(sep).join('/');
    return {
      ...unedited,
      id: idFor(ownerId, `markdown ${path}`),
      user_id: ownerId,
      client_note_id: path,
      title: [...title].slice(0, maxTitleLength).join(''),
      content: text.replace(frontMatter, ''),
      enhanced_content: null,
      note_type: noteTypes.find((type) => type === matter.get('note_type')) ?? 'personal',
      folder_id: folder === null ? null : folderId(folder),
      pinned: matter.get('pinned') === 'true',
      participants: null,
      calendar_event_id: null,
      transcript: null,
      created_at: timeOf(matter, ['created_at', 'created', 'date']) ?? birth,
      updated_at,
    };
  }

  return {
    async *folders() {
      const names = new Set<string>();
      for await (const file of markdownFiles(root)) names.add(folderOf(file) ?? '');
      names.delete('');
      const at = new Date().toISOString();
      for (const [sort_order, name] of [...names].sort().entries()) {
        const times = { created_at: at, updated_at: at };
        yield { id: folderId(name), name, sort_order, is_default: false, space_id: null, ...times };
      }
    },
    async *notes() {
      for await (const file of markdownFiles(root)) {
        const note = await toNote(file);
        if (note) yield note;
        else leaveOut(file);
      }
    },
    async *transcriptions() {},
    async *dictionary() {},
    async *recordings() {},
    async *snippets() {},
  };
}

async function* markdownFiles(folder: string): AsyncGenerator<string> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) yield* markdownFiles(path);
    else if (entry.isFile() && entry.name.endsWith('.md')) yield path;
  }
}

/** The plain `name: value` lines. Lists and nested values stay unread. */
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

function timeOf(matter: ReadonlyMap<string, string>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const time = new Date(matter.get(name) ?? '');
    const isUsual = time.getFullYear() >= 1900 && time.getFullYear() <= lastImportedYear;
    if (isUsual) return time.toISOString();
  }
  return undefined;
}
