import { laterThan } from '../../domain/note.ts';
import type { OwnerFilter } from '../../domain/owner.ts';
import { changesText, keepsRevision, type Writing } from '../../domain/revision.ts';
import { followed } from '../../domain/spoken.ts';
import { transcription } from '../../domain/transcription.ts';
import type { Database, Db } from '../../platform/database/database.ts';
import { reachableBy } from '../../platform/database/owners.ts';
import { rowsOf } from '../../platform/database/schema.ts';
import { keepRevision } from '../revisions/queries.ts';
import { isShared } from '../spaces/queries.ts';
import { noteRows } from './queries.ts';

const { all } = rowsOf(transcription.omit({ status: true }));

/**
 * Inside a write that changes or adds a transcription: its note follows, if it is within reach. True when its text is analysed
 * after the write.
 */
export async function followTranscriptions(
  { search }: Database,
  trx: Db,
  id: string,
  { reach, by, limits }: Writing & { reach?: OwnerFilter },
  now: string,
): Promise<boolean> {
  const row = await trx
    .selectFrom('notes')
    .select([...noteRows.columns, 'seq'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .$if(reach !== undefined, (query) => (reach ? query.where(reachableBy(reach)) : query))
    .executeTakeFirst();
  if (!row) return false;
  const { seq, ...note } = noteRows.fromRow(row);
  const changes = followed(note, await saidIn(trx, id));
  const updated_at = laterThan(note.updated_at, now);
  if (keepsRevision(note, changes, by)) await keepRevision(trx, note, limits, updated_at);
  const author = { ...by, edited_at: updated_at, revision: note.revision + 1 };
  const changed = { ...changes, ...(changesText(note, changes) ? author : {}), updated_at };
  await trx.updateTable('notes').set(noteRows.toRow(changed)).where('seq', '=', seq).execute();
  return !(await search.put(trx, seq, note.owner_id, { ...note, ...changes }));
}

/** The transcriptions of a note, in the order in which they were said. */
const saidIn = (trx: Db, noteId: string) =>
  all(
    trx
      .selectFrom('transcriptions as t')
      .leftJoin('recordings as r', 'r.transcription_id', 't.id')
      .select(['t.segments', 't.text', 't.audio_duration_ms'])
      .where('t.note_id', '=', noteId)
      .orderBy((eb) => eb.fn.coalesce('r.created_at', 't.created_at'))
      .orderBy('t.id'),
  );

/** Whether a recording of this user may go into the note. A transcript from elsewhere would be lost, so it may not there. */
export async function maySpeakInto(trx: Db, userId: string, noteId: string): Promise<boolean> {
  const note = await trx
    .selectFrom('notes')
    .select(['owner_id', 'space_id', 'transcript'])
    .where('id', '=', noteId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!note) return false;
  const { owner_id, space_id, transcript } = note;
  const isWithinReach = space_id === null ? owner_id === userId : await isShared(trx, userId, space_id);
  if (!isWithinReach || transcript === null) return isWithinReach;
  const own = await trx
    .selectFrom('transcriptions')
    .select('id')
    .where('note_id', '=', noteId)
    .limit(1)
    .executeTakeFirst();
  return own !== undefined;
}
