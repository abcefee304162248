import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { compose } from '../../src/compose.ts';
import type { Change } from '../../src/domain/change.ts';
import { storedNote } from '../../src/domain/note.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { rowsOf } from '../../src/platform/database/schema.ts';
import { allCommitted } from '../support/horizon.ts';
import { noteRow } from '../support/rows.ts';
import { createFakeSpeech } from '../support/speech.ts';
import { databaseKinds, silentLog, startSteno, type TestSteno } from '../support/steno.ts';

const { toRow } = rowsOf(storedNote);
let testsBegun = 0;
/** So many days from now, in a future that no test before this one has marked, whatever their order. */
const at = (days: number) =>
  new Date(Date.parse('2036-05-01T00:00:00.000Z') + (testsBegun * 1_000 + days) * 86_400_000).toISOString();

describe.each(databaseKinds)('changes on %s', (databaseKind) => {
  let steno: TestSteno;
  let key: string;
  let userId: string;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
  });
  beforeEach(async () => {
    testsBegun += 1;
    const person = await steno.person();
    ({ key } = person);
    userId = person.user.id;
  });
  afterAll(() => steno.close());

  const get = (query = '', of = key) => steno.call('GET', `/changes${query}`, { key: of });
  const start = async (of = key) => {
    await allCommitted(steno.database);
    return (await get('', of)).body.next_cursor as string;
  };
  const since = async (cursor: string, query = '') => {
    await allCommitted(steno.database);
    return (await get(`?since=${cursor}${query}`)).body;
  };
  const forget = async (before: string, now: string) => {
    await allCommitted(steno.database);
    await steno.store.changes.forget(before, now);
  };
  const pending = () => steno.database.db.selectFrom('search_pending').select('seq').execute();
  const what = (changes: Change[]) => changes.map(({ type, action, id }) => [type, action, id]);
  const post = async (path: string, body: object) =>
    (await steno.call('POST', path, { key, body })).body.data;

  test('indexing is no change: neither of a long new note nor of all notes by a new analyser', async () => {
    const cursor = await start();
    const short = await post('/notes/create', { content: 'a short note' });
    const long = await post('/notes/create', { content: `${'lorem ipsum '.repeat(2_000)}needle` });
    await steno.database.search.indexPending();
    const read = () => Promise.all([short, long].map(({ id }) => steno.call('GET', `/notes/${id}`, { key })));
    const seen = async () =>
      (await read()).map(({ body, headers }) => ({ body, etag: headers.etag, at: body.data.updated_at }));
    const before = await seen();
    await steno.database.write(async (db) => {
      await db.updateTable('search_entries').set({ analyser: 0 }).execute();
      await db.deleteFrom('installation').where('name', '=', 'search_analyser').execute();
      await steno.database.search.queueOutdated(db);
    });
    expect(await pending()).not.toEqual([]);
    await steno.database.search.indexPending();
    expect(await pending()).toEqual([]);
    const outdated = await steno.database.db
      .selectFrom('search_entries')
      .select('entry')
      .where('analyser', '=', 0)
      .execute();
    expect(outdated).toEqual([]);
    // Webhooks tell what stands here, so they have nothing more to tell either.
    expect(what((await since(cursor)).data)).toEqual([
      ['note', 'created', short.id],
      ['note', 'created', long.id],
    ]);
    expect(await seen()).toEqual(before);
    for (const { id } of [short, long])
      expect((await steno.call('GET', `/notes/${id}/revisions`, { key })).body.data).toEqual([]);
    const found = await steno.call('POST', '/notes/search', { key, body: { query: 'needle' } });
    expect(found.body.data).toMatchObject([{ id: long.id }]);
  });

  test('tells what was made, changed and deleted, of every type, in order', async () => {
    const cursor = await start();
    const folder = await post('/folders/create', { name: 'One' });
    const note = await post('/notes/create', { content: 'x', folder_id: folder.id });
    await steno.call('PATCH', `/notes/${note.id}`, { key, body: { content: 'y' } });
    const [word] = await post('/dictionary/create', { word: 'Zürich' });
    await steno.call('PATCH', `/dictionary/${word.id}`, { key, body: { word: 'Zug' } });
    const snippet = await post('/snippets/create', { trigger: 'a', replacement: 'b' });
    await steno.call('DELETE', `/snippets/${snippet.id}`, { key });
    const { id: transcription } = (await steno.upload(key)).body.data;
    await steno.call('DELETE', `/notes/${note.id}`, { key });
    await steno.call('POST', `/notes/${note.id}/restore`, { key });
    await post('/notes/change', { ids: [note.id], deleted: true });
    await steno.call('POST', `/notes/${note.id}/restore`, { key });
    await post('/notes/change', { ids: [note.id], pinned: true });
    await steno.call('DELETE', `/folders/${folder.id}`, { key });
    const page = await since(cursor);
    expect(what(page.data)).toEqual([
      ['folder', 'created', folder.id],
      ['note', 'created', note.id],
      ['note', 'updated', note.id],
      ['dictionary', 'created', word.id],
      ['dictionary', 'updated', word.id],
      ['snippet', 'created', snippet.id],
      ['snippet', 'deleted', snippet.id],
      ['transcription', 'created', transcription],
      ['note', 'deleted', note.id],
      ['note', 'created', note.id],
      ['note', 'deleted', note.id],
      ['note', 'created', note.id],
      ['note', 'updated', note.id],
      ['note', 'updated', note.id],
      ['folder', 'deleted', folder.id],
    ]);
    expect(page.has_more).toBe(false);
    expect(await since(page.next_cursor)).toMatchObject({ data: [], has_more: false });
    const parts: Change[] = [];
    for (let at = cursor, more = true; more; ) {
      const part = await since(at, '&limit=5');
      parts.push(...part.data);
      ({ has_more: more, next_cursor: at } = part);
    }
    expect(parts).toEqual(page.data);
    expect(what((await since(cursor, '&type=snippet')).data).map(([type]) => type)).toEqual([
      'snippet',
      'snippet',
    ]);
  });

  test('a purged note was deleted once, when it went to the trash', async () => {
    const cursor = await start();
    const note = await post('/notes/create', { content: 'x' });
    await steno.call('DELETE', `/notes/${note.id}`, { key });
    await steno.call('DELETE', `/notes/trash/${note.id}`, { key });
    expect((await since(cursor)).data.map(({ action }: Change) => action)).toEqual(['created', 'deleted']);
  });

  test('shows a key only the types that it may read, and nothing of others', async () => {
    const reader = await steno.person({ scopes: ['notes:read', 'notes:write', 'dictionary:write'] });
    const cursor = await start(reader.key);
    await post('/notes/create', { content: 'of somebody else' });
    const body = { word: 'hidden' };
    await steno.call('POST', '/dictionary/create', { key: reader.key, body });
    await steno.call('POST', '/notes/create', { key: reader.key, body: { content: 'x' } });
    await allCommitted(steno.database);
    const { data } = (await get(`?since=${cursor}`, reader.key)).body;
    expect(data.map(({ type }: Change) => type)).toEqual(['note']);
  });

  test.each([
    [1, [1, 1, 1], [true, true, false]],
    [2, [2, 1], [true, false]],
    [3, [3], [false]],
  ])('comes in pages of %i', async (limit, sizes, more) => {
    const cursor = await start();
    for (const content of ['a', 'b', 'c']) await post('/notes/create', { content });
    const pages = [];
    for (let next = cursor; pages.length < sizes.length; next = pages.at(-1)?.next_cursor)
      pages.push(await since(next, `&limit=${limit}`));
    expect(pages.map(({ data }) => data.length)).toEqual(sizes);
    expect(pages.map(({ has_more }) => has_more)).toEqual(more);
  });

  test.each([
    [0, 400],
    [1, 200],
    [500, 200],
    [501, 400],
  ])('limit=%i is %i', async (limit, status) => {
    expect((await get(`?limit=${limit}`)).status).toBe(status);
  });

  test('refuses a cursor that is no cursor, and one from before a restored backup', async () => {
    for (const cursor of ['x', 'e30', Buffer.from('["notes",1,2]').toString('base64url')])
      expect((await get(`?since=${cursor}`)).body.error.message).toContain('since must be the next_cursor');
    const old = await start();
    await steno.store.changes.startOver({ always: false });
    expect((await get(`?since=${old}`)).status).toBe(200);
    await steno.store.changes.startOver({ always: true });
    expect((await get(`?since=${old}`)).body.error.message).toContain('restored from a backup');
    const cursor = await start();
    const note = await post('/notes/create', { content: 'x' });
    expect(what((await since(cursor)).data)).toEqual([['note', 'created', note.id]]);
  });

  test('what is old is forgotten, and a cursor from before is told so', async () => {
    const old = await start();
    await post('/notes/create', { content: 'old' });
    await forget(at(-90), at(0));
    const kept = await start();
    const note = await post('/notes/create', { content: 'kept' });
    await forget(at(0), at(90));
    expect(what((await since(old)).data)).toHaveLength(2);
    await forget(at(0.5), at(90.5));
    const refused = await get(`?since=${old}`);
    expect(refused.status).toBe(400);
    expect(refused.body.error.message).toContain(`changes before ${at(0)} are no longer kept`);
    expect(what((await since(kept)).data)).toEqual([['note', 'created', note.id]]);
    const rows = await steno.database.db
      .selectFrom('changes')
      .select('id')
      .where('owner_id', '=', userId)
      .execute();
    expect(rows).toEqual([{ id: note.id }]);
    const fresh = await start();
    expect((await since(fresh)).data).toEqual([]);
  });

  test('who asks now and then has a cursor that does not grow old, though nothing of theirs changes', async () => {
    const idle = await start();
    const other = await steno.person();
    await steno.call('POST', '/notes/create', { key: other.key, body: { content: 'x' } });
    // Any transaction of the PostgreSQL server moves the end, so the mark has to be noted before the cursor is taken.
    await forget(at(100), at(200));
    const { next_cursor } = await since(idle);
    await forget(at(201), at(300));
    expect((await get(`?since=${idle}`)).status).toBe(400);
    expect((await get(`?since=${next_cursor}`)).status).toBe(200);
  });

  test('who follows them misses nothing and sees nothing twice, however writers commit', async () => {
    const writer = fc.record({ wait: fc.nat(20), hold: fc.nat(40), notes: fc.integer({ min: 1, max: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(writer, { minLength: 4, maxLength: 8 }), async (writers) => {
        await allCommitted(steno.database);
        let position = await steno.store.changes.end();
        const made: string[] = [];
        const seen: string[] = [];
        const byMark = new Map<string, string[]>();
        let isOver = false;
        const follow = async () => {
          const changes = await steno.store.changes.read(userId, position, 2);
          position = changes.at(-1) ?? position;
          seen.push(...changes.map(({ id }) => id));
          return changes.length;
        };
        const following = (async () => {
          while (!isOver) {
            await follow();
            await lookAtMark(byMark);
            await sleep(1);
          }
          while ((await follow()) > 0);
        })();
        await Promise.all(
          writers.map(async ({ wait, hold, notes }) => {
            await sleep(wait);
            made.push(...(await writeSlowly(notes, hold)));
          }),
        );
        await allCommitted(steno.database);
        isOver = true;
        await following;
        expect(seen.toSorted()).toEqual(made.toSorted());
        await lookAtMark(byMark);
        expect(byMark.size).toBeGreaterThan(0);
      }),
      { numRuns: 15, seed: 14 },
    );
  });

  /** As long as the mark is the same, the list is. */
  async function lookAtMark(byMark: Map<string, string[]>): Promise<void> {
    const mark = await steno.store.changes.mark(userId);
    const ids = (await steno.store.notes.list(userId, { limit: 1_000 })).map(({ id }) => id);
    if (mark === undefined || mark !== (await steno.store.changes.mark(userId))) return;
    expect(ids).toEqual(byMark.get(mark) ?? ids);
    byMark.set(mark, ids);
  }

  test('a list shows every change at once, and is 304 without reading a note as long as there is none', async () => {
    const folder = await post('/folders/create', { name: 'One' });
    const note = await post('/notes/create', { content: 'x', folder_id: folder.id });
    const path = `/notes/${note.id}`;
    const patch = (body: object) => steno.call('PATCH', path, { key, body });
    const lists = ['/notes/list', '/notes/list?pinned=first', `/notes/list?folder_id=${folder.id}`];
    const reads = vi.spyOn(steno.database, 'read');
    const notesRead = () => reads.mock.calls.filter(([text]) => text.includes('from "notes"'));
    const ask = (list: string, tag?: unknown, of = key) =>
      steno.call('GET', list, { key: of, ...(tag ? { headers: { 'if-none-match': String(tag) } } : {}) });
    const answers = () => Promise.all(lists.map((list) => ask(list)));
    const other = await steno.person();
    const acts = [
      () => patch({ content: 'y' }),
      () => patch({ pinned: true }),
      () => post('/notes/create', { content: 'z' }),
      () => steno.call('DELETE', path, { key }),
      () => steno.call('POST', `${path}/restore`, { key }),
      () => patch({ folder_id: null }),
      () => patch({ folder_id: folder.id }),
      () => steno.call('DELETE', `/folders/${folder.id}`, { key }),
      // As another process would.
      () =>
        steno.database.write((db) =>
          db.updateTable('notes').set({ title: 'told' }).where('id', '=', note.id).execute(),
        ),
      () => steno.database.write((db) => db.deleteFrom('notes').where('id', '=', note.id).execute()),
    ];
    const seen = new Set<string>();
    for (const act of acts) {
      await allCommitted(steno.database);
      const before = await answers();
      reads.mockClear();
      for (const [place, { headers }] of before.entries()) {
        const same = await ask(lists[place] ?? '', headers.etag);
        expect([same.status, same.text, same.headers.etag]).toEqual([304, '', headers.etag]);
      }
      expect(notesRead()).toEqual([]);
      seen.add(JSON.stringify(before.map(({ headers }) => headers.etag)));
      await act();
      const after = await Promise.all(lists.map((list, place) => ask(list, before[place]?.headers.etag)));
      expect(after.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(after.map(({ text }) => text)).not.toEqual(before.map(({ text }) => text));
    }
    expect(seen.size).toBe(acts.length);
    await allCommitted(steno.database);
    const { etag } = (await ask('/notes/list')).headers;
    // Neither at another address, nor of another person, nor of a history that a restored backup took back.
    expect((await ask('/notes/list?limit=9', etag)).status).toBe(200);
    expect((await ask('/notes/list', etag, other.key)).status).toBe(200);
    expect((await ask('/notes/list', etag)).status).toBe(304);
    await steno.store.changes.startOver({ always: true });
    expect((await ask('/notes/list', etag)).status).toBe(200);
    expect((await ask('/notes/list?cursor=bad')).headers.etag).toBeUndefined();
    reads.mockRestore();
  });

  test('every server on the database names a list alike', async () => {
    await post('/notes/create', { content: 'x' });
    await allCommitted(steno.database);
    const { etag } = (await steno.call('GET', '/notes/list', { key })).headers;
    const second = await compose(steno.config, { log: silentLog, ...createFakeSpeech() });
    const ask = async () => {
      const headers = { authorization: `Bearer ${key}`, 'if-none-match': String(etag) };
      return (await second.app.inject({ url: '/api/v1/notes/list', headers })).statusCode;
    };
    expect([etag, await ask()]).toEqual([expect.stringMatching(/^W\//), 304]);
    await post('/notes/create', { content: 'y' });
    expect(await ask()).toBe(200);
    await second.close();
  });

  /** On PostgreSQL the numbers are given out, then the transaction stays open. SQLite has one writer at a time. */
  async function writeSlowly(notes: number, hold: number): Promise<string[]> {
    const rows = Array.from({ length: notes }, () => noteRow(userId, { id: newUuid() }));
    const insert = async (db: typeof steno.database.db) => {
      for (const row of rows) await db.insertInto('notes').values(toRow(row)).execute();
    };
    if (databaseKind === 'sqlite') await steno.database.write(insert);
    else
      await steno.database.db.transaction().execute(async (trx) => {
        await insert(trx);
        await sql`select pg_sleep(${hold / 1000})`.execute(trx);
      });
    return rows.map(({ id }) => id);
  }

  test('an answer is named, and who names it gets 304 until it changes', async () => {
    const note = await post('/notes/create', { content: 'x' });
    const path = `/notes/${note.id}`;
    const first = await steno.call('GET', path, { key });
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^W\/"[\w.-]+"$/);
    const again = (tag: string) => steno.call('GET', path, { key, headers: { 'if-none-match': tag } });
    for (const tag of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const { status, text, headers } = await again(tag);
      expect([status, text, headers.etag]).toEqual([304, '', etag]);
    }
    expect((await again('"other"')).status).toBe(200);
    await steno.call('PATCH', path, { key, body: { content: 'y' } });
    expect((await again(etag)).body.data.content).toBe('y');
    expect((await steno.call('GET', '/notes/none', { key, headers: { 'if-none-match': '*' } })).status).toBe(
      404,
    );
    const { id } = (await steno.upload(key)).body.data;
    const text = await steno.call('GET', `/transcriptions/${id}?format=text`, { key });
    expect(text.headers.etag).toBeDefined();
  });
});
