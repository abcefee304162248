import { dayHeadings } from '../../lib/day-group.ts';
import type { Note } from '../../resources/notes.ts';
import { strings } from '../../strings.ts';

/** Pinned notes have one heading, the others those of their days. */
export function headingsOf(notes: readonly Note[], sort: 'created' | 'updated'): (string | undefined)[] {
  const pinned = notes.findIndex((note) => !note.pinned);
  const rest = pinned === -1 ? notes.length : pinned;
  const times = notes.slice(rest).map((note) => (sort === 'created' ? note.created_at : note.updated_at));
  const first = notes.slice(0, rest).map((_note, at) => (at === 0 ? strings.notes.pinned : undefined));
  return [...first, ...dayHeadings(times)];
}
