import type { Folder } from './folder.ts';
import type { NoteWithTranscript } from './note.ts';
import { endingOf, type Recording } from './recording.ts';

/** The first line of every export, so that an import knows what it reads. */
export const exportFormat = { format: 'steno-export', version: 1 } as const;

/** The file for the records of each kind, one JSON object per line. */
export const exportFiles = {
  manifest: 'manifest.json',
  folders: 'data/folders.jsonl',
  tags: 'data/tags.jsonl',
  notes: 'data/notes.jsonl',
  transcriptions: 'data/transcriptions.jsonl',
  recordings: 'data/recordings.jsonl',
  dictionary: 'data/dictionary.jsonl',
  snippets: 'data/snippets.jsonl',
} as const;

/** A path that every file system accepts. The end of the id keeps two notes with the same title apart. */
export function markdownPath(note: NoteWithTranscript, folder: Folder | undefined): string {
  const name = fileName(note.title ?? note.content.trim().split('\n', 1)[0] ?? '');
  return `notes/${folder ? `${fileName(folder.name)}/` : ''}${name} ${note.id.slice(-12)}.md`;
}

/** Audio files are in a folder of their own. */
export const audioFolder = 'recordings/';

export function audioPath({ id, name, media_type }: Pick<Recording, 'id' | 'name' | 'media_type'>): string {
  const ending = endingOf(media_type);
  const stem = name.toLowerCase().endsWith(`.${ending}`) ? name.slice(0, -ending.length - 1) : name;
  return `${audioFolder}${fileName(stem)} ${id.slice(-12)}.${ending}`;
}

const maxNameLength = 60;

/** Without control characters, without what Windows refuses in names, and not hidden. */
function fileName(text: string): string {
  const plain = text.replaceAll(/[\p{C}<>:"/\\|?*\s]+/gu, ' ').replace(/^[. ]+/, '');
  return (
    [...plain]
      .slice(0, maxNameLength)
      .join('')
      .replace(/[. ]+$/, '') || 'Untitled'
  );
}

/** A JSON string is also valid YAML. */
export function toMarkdown(note: NoteWithTranscript, folder: Folder | undefined): string {
  const { id, title, note_type, pinned, created_at, updated_at } = note;
  const tags = note.tags.map(({ name }) => name);
  const about = { id, title, folder: folder?.name ?? null, ...(tags.length > 0 && { tags }) };
  const matter = { ...about, note_type, pinned, created_at, updated_at };
  const lines = Object.entries(matter).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join('\n')}\n---\n\n${note.content}\n`;
}
