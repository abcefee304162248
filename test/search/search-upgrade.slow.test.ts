import { afterEach, describe, expect, test } from 'vitest';
import { analyserVersion } from '../../src/engines/search/search-index.ts';
import { findNotes } from '../../src/features/notes/search.ts';
import { migrate, readMigrations } from '../../src/platform/database/migrate.ts';
import { openDatabase } from '../../src/platform/database/open.ts';
import { composeServices } from '../../src/services.ts';
import { insertNote, userRow } from '../support/rows.ts';
import { databaseKinds, emptyDatabase } from '../support/steno.ts';
import { openStore } from '../support/store.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

describe.each(databaseKinds)('notes are indexed anew in the background, on %s:', (databaseKind) => {
  test('those of a database from before this index', async () => {
    const { config, dispose } = await emptyDatabase(databaseKind);
    cleanUp.push(dispose);
    const before = await openDatabase(config);
    const [at, user] = ['2026-01-01T00:00:00.000Z', userRow()];
    const older = readMigrations(before.name).filter(({ name }) => name < '0070');
    await migrate(before, Date.now, older);
    await before.write(async (db) => {
      await db.insertInto('users').values(user).execute();
      for (const [index, content] of ['an old note', 'a deleted note'].entries())
        await db
          .insertInto('notes')
          .values({
            id: `${index}`,
            owner_id: user.id,
            user_id: user.id,
            space_id: null,
            client_note_id: `${index}`,
            title: null,
            content,
            enhanced_content: null,
            note_type: 'personal',
            pinned: 0,
            folder_id: null,
            participants: null,
            calendar_event_id: null,
            transcript: null,
            created_at: at,
            updated_at: at,
          })
          .execute();
      await db.updateTable('notes').set({ deleted_at: at }).where('id', '=', '1').execute();
    });
    await before.close();

    const { database, close } = await composeServices(config);
    cleanUp.push(close);
    const search = () => findNotes(database, user.id, { query: 'notes', limit: 9 });
    expect(await search()).toMatchObject({ data: [], complete: false });
    expect(await database.search.countGaps()).toBe(0);
    await database.search.indexPending();
    expect(await search()).toMatchObject({ data: [{ id: '0' }], total: 1, complete: true });
    expect(await database.search.countGaps()).toBe(0);
  });

  test('those that an older analyser has indexed, which are found meanwhile', async () => {
    const { store, database, close } = await openStore(databaseKind);
    cleanUp.push(close);
    const user = userRow();
    await store.users.insert(user);
    await insertNote(store, user.id, { content: 'indexed long ago' });
    await database.search.merge(user.id);
    await insertNote(store, user.id, { content: 'indexed of late' });
    await database.write((db) => db.updateTable('search_entries').set({ analyser: 0 }).execute());
    const found = async () => (await store.notes.search(user.id, { query: 'indexed', limit: 9 })).data.length;
    await database.write(database.search.queueOutdated);
    expect(await found()).toBe(2);
    await database.search.indexPending();
    expect(await found()).toBe(2);
    const entries = await database.db.selectFrom('search_entries').select('analyser').execute();
    expect(entries).toEqual([{ analyser: analyserVersion }, { analyser: analyserVersion }]);
    // Once only: the next start has nothing to do.
    await database.write(database.search.queueOutdated);
    expect(await database.db.selectFrom('search_pending').selectAll().execute()).toEqual([]);
  });

  test('until then a word is found as it is written, whatever stem it has now', async () => {
    const { store, database, close } = await openStore(databaseKind);
    cleanUp.push(close);
    const user = userRow();
    await store.users.insert(user);
    await insertNote(store, user.id, { content: 'Die Häuser sind alt' });
    // As the first analyser of this index put it, with English stems for every language.
    const text = ' \n die hauser sind alt ';
    await database.write((db) => db.updateTable('search_entries').set({ analyser: 1, text }).execute());
    await database.write(database.search.queueOutdated);
    const found = async (query: string) =>
      (await store.notes.search(user.id, { query: query, limit: 9 })).data.length;
    expect(await found('"häuser"')).toBe(1);
    expect(await found('Häuser kaufen')).toBe(1);
    await database.search.indexPending();
    expect(await found('Haus kaufen')).toBe(1);
  });
});
