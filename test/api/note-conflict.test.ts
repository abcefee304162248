import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(anyDatabase)('changing a note that someone else changed, on %s', (databaseKind) => {
  const now = Date.now();
  let steno: TestSteno;
  beforeAll(async () => {
    // The clock stands still: two changes in one millisecond must be told apart too.
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  afterAll(() => steno.close());

  test('with the updated_at that was read it is saved, and each change has a later one', async () => {
    const { key } = await steno.person();
    let note = (await steno.call('POST', '/notes/create', { key, body: { content: 'one' } })).body.data;
    for (const content of ['two', 'three']) {
      const body = { content, expected_updated_at: note.updated_at };
      const { status, body: answer } = await steno.call('PATCH', `/notes/${note.id}`, { key, body });
      expect([status, answer.data.content]).toEqual([200, content]);
      expect(answer.data.updated_at > note.updated_at).toBe(true);
      note = answer.data;
    }
  });

  test('with an older one it is 409 and nothing changes', async () => {
    const { key } = await steno.person();
    const { data: read } = (await steno.call('POST', '/notes/create', { key, body: { content: 'read' } }))
      .body;
    await steno.call('PATCH', `/notes/${read.id}`, { key, body: { content: 'theirs' } });
    const late = await steno.call('PATCH', `/notes/${read.id}`, {
      key,
      body: { content: 'mine', expected_updated_at: read.updated_at },
    });
    expect([late.status, late.body.error.code]).toEqual([409, 'conflict']);
    expect((await steno.call('GET', `/notes/${read.id}`, { key })).body.data.content).toBe('theirs');
  });

  // SQLite has one writer, and locks no row.
  if (databaseKind === 'postgres')
    test('however many wait for one note, others need not', async () => {
      const { key } = await steno.person();
      const create = async () =>
        (await steno.call('POST', '/notes/create', { key, body: { content: 'x' } })).body.data.id;
      const [wanted, other] = [await create(), await create()];
      const patch = (id: string) => steno.call('PATCH', `/notes/${id}`, { key, body: { content: 'y' } });
      const waiting = await steno.database.db.transaction().execute(async (trx) => {
        await trx.selectFrom('notes').select('id').where('id', '=', wanted).forUpdate().execute();
        const patches = Array.from({ length: 20 }, () => patch(wanted));
        // Answered while the note is locked.
        expect((await patch(other)).status).toBe(200);
        expect((await steno.call('GET', '/folders/list', { key })).status).toBe(200);
        return { patches };
      });
      const statuses = (await Promise.all(waiting.patches)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200]));
    });

  test('of many who read the same note and save at once, one is saved', async () => {
    const { key } = await steno.person();
    const { data: read } = (await steno.call('POST', '/notes/create', { key, body: { content: 'read' } }))
      .body;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, writer) =>
        steno.call('PATCH', `/notes/${read.id}`, {
          key,
          body: { content: `writer ${writer}`, expected_updated_at: read.updated_at },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });

  test('what is no time is 400', async () => {
    const { key } = await steno.person();
    const { data: note } = (await steno.call('POST', '/notes/create', { key, body: { content: 'x' } })).body;
    const body = { content: 'y', expected_updated_at: 'yesterday' };
    expect((await steno.call('PATCH', `/notes/${note.id}`, { key, body })).status).toBe(400);
  });
});
