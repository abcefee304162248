import { dayGroup } from '../../lib/day-group.ts';
import type { ListedNote } from '../../resources/note-list.ts';
import { noteStrings } from '../../strings/notes.ts';

type Sort = 'created' | 'updated';

/** The heading above this note; none if the previous note is in the same group. Computed only for visible notes. */
export function headingAt(notes: readonly ListedNote[], at: number, sort: Sort): string | undefined {
  const [note, before] = [notes[at], notes[at - 1]];
  const heading = note && groupOf(note, sort);
  return before && groupOf(before, sort) === heading ? undefined : heading;
}

/** Pinned notes have one heading, the others have the headings of their days. */
const groupOf = ({ pinned, created_at, updated_at }: ListedNote, sort: Sort): string =>
  pinned ? noteStrings.pinned : dayGroup(sort === 'created' ? created_at : updated_at);
