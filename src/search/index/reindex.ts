import type { Db } from '../../store/database.ts';
import { analyseNote, type SearchText } from '../analyse/note-text.ts';
import type { SearchDatabase } from '../thread/thread-database.ts';
import { addEntry, removeEntries } from './entries.ts';

const notesPerRead = 50;

/**
 * Analyses up to fifty waiting notes, the newest first, and tells whose they were and how many wait no longer. What was
 * indexed of a note is found until its new entry stands.
 */
export async function indexPending(search: SearchDatabase): Promise<{ owners: Set<string>; done: number }> {
  const notes = await search.snapshot((db) =>
    db
      .selectFrom('search_pending')
      .leftJoin('notes', (join) =>
        join.onRef('notes.seq', '=', 'search_pending.seq').on('notes.deleted_at', 'is', null),
      )
      .select([
        'search_pending.seq',
        'owner_id',
        'title',
        'content',
        'enhanced_content',
        'transcript',
        'updated_at',
      ])
      .orderBy('search_pending.seq', 'desc')
      .limit(notesPerRead)
      .execute(),
  );
  const owners = new Set<string>();
  const gone: number[] = [];
  const analysed: { seq: number; owner_id: string; updated_at: string; text: SearchText }[] = [];
  for (const { seq, owner_id, title, content, enhanced_content, transcript, updated_at } of notes) {
    if (owner_id === null || content === null || updated_at === null) {
      gone.push(seq);
      continue;
    }
    owners.add(owner_id);
    const text = analyseNote({ title, content, enhanced_content, transcript });
    analysed.push({ seq, owner_id, updated_at, text });
  }
  await search.write(async (db) => {
    if (gone.length > 0) await db.deleteFrom('search_pending').where('seq', 'in', gone).execute();
    for (const { seq, owner_id, updated_at, text } of analysed) {
      // If the note has changed or gone meanwhile, that write has removed its entry and queued it again if need be.
      if (!(await lockIfUnchanged(search, db, seq, updated_at))) continue;
      await removeEntries(db, [seq]);
      await addEntry(db, seq, owner_id, text);
    }
  });
  return { owners, done: notes.length };
}

/** Nobody changes the note before this transaction ends. A lock, not an update: triggers log every update as a change. */
async function lockIfUnchanged(
  search: SearchDatabase,
  db: Db,
  seq: number,
  updated_at: string,
): Promise<boolean> {
  const unchanged = db
    .selectFrom('notes')
    .select('seq')
    .where('seq', '=', seq)
    .where('updated_at', '=', updated_at)
    .where('deleted_at', 'is', null)
    .where((note) => note.exists(note.selectFrom('search_pending').select('seq').where('seq', '=', seq)));
  return (await search.locking(unchanged).executeTakeFirst()) !== undefined;
}
