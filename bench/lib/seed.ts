import { randomUUID } from 'node:crypto';
import { readConfig } from '../../src/config.ts';
import { type StoredNote, storedNote, unedited } from '../../src/domain/note.ts';
import { analyserVersion } from '../../src/engines/search/search-index.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { openDatabase } from '../../src/platform/database/open.ts';
import { rowsOf } from '../../src/platform/database/schema.ts';
import { createCorpus } from './corpus.ts';
import type { BenchData } from './server.ts';

const { toRow } = rowsOf(storedNote);
const notesPerCommit = 4_000;
const notesPerInsert = 200;
const wordsPerNote = 60;
const firstMs = Date.UTC(2025, 0, 1);

/** Fills a fresh data folder with notes of one user, indexed for search, a second apart. */
export async function seedNotes(
  { dataDir, databaseUrl, userId }: Pick<BenchData, 'dataDir' | 'databaseUrl' | 'userId'>,
  count: number,
  words = wordsPerNote,
): Promise<void> {
  const settings = { STENO_DATA_DIR: dataDir, STENO_DATABASE_URL: databaseUrl };
  const database = await openDatabase(readConfig(settings));
  await migrate(database, Date.now);
  const corpus = createCorpus(count);
  for (let done = 0; done < count; done += notesPerCommit) {
    const size = Math.min(notesPerCommit, count - done);
    const notes = Array.from({ length: size }, (_, index) =>
      makeNote(userId, done + index, corpus.sentence(words)),
    );
    await database.write(async (db) => {
      for (let at = 0; at < notes.length; at += notesPerInsert) {
        const some = notes.slice(at, at + notesPerInsert);
        const rows = await db.insertInto('notes').values(some.map(toRow)).returning(['seq', 'id']).execute();
        const byId = new Map(some.map((note) => [note.id, note]));
        const words = rows.flatMap(({ seq, id }) => {
          const note = byId.get(id);
          const text = note && database.search.analyse(note);
          return text ? [{ seq, owner_id: userId, analyser: analyserVersion, text }] : [];
        });
        const entries = await db.insertInto('search_entries').values(words).returning('entry').execute();
        await db
          .insertInto('search_fresh')
          .values(entries.map(({ entry }) => ({ owner_id: userId, entry })))
          .execute();
      }
    });
    // As a server does after as many notes.
    for (let merged = 0; merged < size; merged += 4_000) await database.search.merge(userId);
  }
  await database.close();
}

function makeNote(userId: string, index: number, content: string): StoredNote {
  const at = new Date(firstMs + index * 1000).toISOString();
  return {
    ...unedited,
    id: newUuid(),
    owner_id: userId,
    user_id: userId,
    space_id: null,
    client_note_id: randomUUID(),
    title: content.slice(0, 40),
    content,
    enhanced_content: null,
    note_type: 'personal',
    folder_id: null,
    pinned: false,
    participants: null,
    calendar_event_id: null,
    transcript: null,
    created_at: at,
    updated_at: at,
  };
}
