import { dayGroup } from '../../lib/day-group.ts';
import type { Note } from '../../resources/notes.ts';
import { noteStrings } from '../../strings/notes.ts';

type Sort = 'created' | 'updated';

/** What stands above this note: nothing, if the note before it belongs to the same group. Asked only for notes in sight. */
export function headingAt(notes: readonly Note[], at: number, sort: Sort): string | undefined {
  const [note, before] = [notes[at], notes[at - 1]];
  const heading = note && groupOf(note, sort);
  return before && groupOf(before, sort) === heading ? undefined : heading;
}

/** Pinned notes have one heading, the others those of their days. */
const groupOf = ({ pinned, created_at, updated_at }: Note, sort: Sort): string =>
  pinned ? noteStrings.pinned : dayGroup(sort === 'created' ? created_at : updated_at);
