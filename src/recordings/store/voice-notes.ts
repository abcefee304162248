import { followed } from '../../domain/correction.ts';
import { laterThan } from '../../domain/note.ts';
import type { OwnerFilter } from '../../domain/owner.ts';
import { changesText, type RevisionRule } from '../../domain/revision.ts';
import type { Segment } from '../../domain/transcript.ts';
import type { Database, Db } from '../../store/database.ts';
import { noteRows } from '../../store/notes.ts';
import { reachableBy } from '../../store/owners.ts';
import { keepRevision } from '../../store/revisions.ts';

interface Spoken {
  reach: OwnerFilter;
  revisions: RevisionRule;
  before: readonly Segment[];
  after: readonly Segment[];
}

/** Inside a write that changes a transcription: its note goes with it. True when its text is analysed after the write. */
export async function changeSpokenNote(
  { search }: Database,
  trx: Db,
  id: string,
  { reach, revisions, before, after }: Spoken,
  now: string,
): Promise<boolean> {
  const row = await trx
    .selectFrom('notes')
    .select([...noteRows.columns, 'seq'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where(reachableBy(reach))
    .executeTakeFirst();
  if (!row) return false;
  const { seq, ...note } = noteRows.fromRow(row);
  const changes = followed(note, before, after);
  if (changes.transcript === undefined) return false;
  const updated_at = laterThan(note.updated_at, now);
  if (changesText(note, changes)) await keepRevision(trx, note, revisions, updated_at);
  await trx
    .updateTable('notes')
    .set({ ...changes, updated_at })
    .where('seq', '=', seq)
    .execute();
  return !(await search.put(trx, seq, note.owner_id, { ...note, ...changes }));
}
