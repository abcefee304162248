import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultPlans } from '../../src/domain/plans.ts';
import { dropExpired } from '../../src/features/revisions/expired.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const dayMs = 86_400_000;
const plans = { ...defaultPlans, free: { ...defaultPlans.free, revisionsPerNote: 3, revisionDays: 10 } };

describe.each(anyDatabase)('revisions on %s', (databaseKind) => {
  let steno: TestSteno;
  let key: string;
  let now = Date.UTC(2026, 4, 1, 12);
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now, config: { plans } });
  });
  beforeEach(async () => {
    ({ key } = await steno.person({ plan: 'free' }));
  });
  afterAll(() => steno.close());

  const create = async (content: string) =>
    (await steno.call('POST', '/notes/create', { key, body: { title: 'T', content } })).body.data;
  const write = async (id: string, body: object, later = 0) => {
    now += later;
    expect((await steno.call('PATCH', `/notes/${id}`, { key, body })).status).toBe(200);
  };
  const list = async (id: string) => (await steno.call('GET', `/notes/${id}/revisions`, { key })).body.data;
  const texts = async (id: string) => {
    const found: string[] = [];
    for (const { id: revision } of await list(id))
      found.push((await steno.call('GET', `/notes/${id}/revisions/${revision}`, { key })).body.data.content);
    return found;
  };

  test('a call without a session keeps the text that it replaces, with its author', async () => {
    const { user, key: own } = await steno.person({ plan: 'free' });
    key = own;
    const note = await create('Monday');
    expect(await list(note.id)).toEqual([]);
    await write(note.id, { content: 'Tuesday' });
    await write(note.id, { content: 'Wednesday' }, dayMs);
    expect(await texts(note.id)).toEqual(['Tuesday', 'Monday']);
    const [last] = await list(note.id);
    expect(last).toEqual({
      id: last.id,
      title: 'T',
      edited_by: user.id,
      edited_with: 'test',
      saved_at: new Date(now - dayMs + 1).toISOString(),
      kept_at: new Date(now).toISOString(),
    });
  });

  test('a session keeps the text of others once, and of its own what goes by a third', async () => {
    const note = await create('one two three four');
    const edit = (content: string, session: string, seq: number) =>
      write(note.id, { content, edit: { session, seq } });
    await edit('one two three four five', 'a', 1);
    await edit('one two three four five six', 'a', 2);
    expect(await texts(note.id)).toEqual(['one two three four']);
    await edit('one two three four five six seven', 'b', 1);
    await edit('one two', 'b', 2);
    expect(await texts(note.id)).toEqual([
      'one two three four five six seven',
      'one two three four five six',
      'one two three four',
    ]);
  });

  test('what does not change the text makes no revision', async () => {
    const note = await create('same');
    await write(note.id, { pinned: true }, dayMs);
    await write(note.id, { content: 'same', title: 'T' }, dayMs);
    expect(await list(note.id)).toEqual([]);
  });

  test('a restored text comes back whole, is found again, and the present one is kept at once', async () => {
    const note = await create('walrus');
    await write(note.id, { content: 'ostrich', title: null }, dayMs);
    const [old] = await list(note.id);
    const path = `/notes/${note.id}/revisions/${old.id}/restore`;
    const restored = await steno.call('POST', path, { key });
    expect([restored.status, restored.body.data]).toMatchObject([200, { title: 'T', content: 'walrus' }]);
    expect(await texts(note.id)).toEqual(['ostrich', 'walrus']);
    const found = await steno.call('POST', '/notes/search', { key, body: { query: 'walrus' } });
    expect(found.body.data).toHaveLength(1);
  });

  test('the plan bounds them by number and by age', async () => {
    const note = await create('0');
    for (const day of [1, 2, 3, 4, 5]) await write(note.id, { content: String(day) }, dayMs);
    expect(await texts(note.id)).toEqual(['4', '3', '2']);
    now += 9 * dayMs;
    expect(await texts(note.id)).toEqual(['4', '3']);
    await write(note.id, { content: '6' }, 1.5 * dayMs);
    expect(await texts(note.id)).toEqual(['5']);
    now += 400 * dayMs;
    await dropExpired(steno.look());
    const left = await steno.database.db
      .selectFrom('note_revisions')
      .select('id')
      .where('note_id', '=', note.id)
      .execute();
    expect(left).toEqual([]);
  });

  test('housekeeping keeps what a better plan still shows', async () => {
    ({ key } = await steno.person({ plan: 'pro' }));
    const note = await create('first');
    await write(note.id, { content: 'second' }, dayMs);
    now += 179 * dayMs;
    await dropExpired(steno.look());
    expect(await texts(note.id)).toEqual(['first']);
  });

  test('a note in the trash shows none, and a purged one takes them along', async () => {
    const note = await create('first');
    await write(note.id, { content: 'second' }, dayMs);
    const [{ id }] = await list(note.id);
    await steno.call('DELETE', `/notes/${note.id}`, { key });
    expect((await steno.call('GET', `/notes/${note.id}/revisions`, { key })).status).toBe(404);
    expect((await steno.call('GET', `/notes/${note.id}/revisions/${id}`, { key })).status).toBe(404);
    await steno.call('POST', `/notes/${note.id}/restore`, { key });
    expect(await texts(note.id)).toEqual(['first']);
    await steno.call('DELETE', `/notes/${note.id}`, { key });
    await steno.call('DELETE', `/notes/trash/${note.id}`, { key });
    const left = await steno.database.db
      .selectFrom('note_revisions')
      .where('note_id', '=', note.id)
      .select('id')
      .execute();
    expect(left).toEqual([]);
  });

  test('the revision of one note is none of another', async () => {
    const [one, other] = [await create('one'), await create('other')];
    await write(one.id, { content: 'changed' }, dayMs);
    const [{ id }] = await list(one.id);
    for (const [method, end] of [
      ['GET', ''],
      ['POST', '/restore'],
    ] as const)
      expect((await steno.call(method, `/notes/${other.id}/revisions/${id}${end}`, { key })).status).toBe(
        404,
      );
  });
});
