import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { page } from '../../src/features/snippets/queries.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const unknownId = '0199a000-0000-7000-8000-000000000000';

describe.each(anyDatabase)('snippets on %s', (databaseKind) => {
  let now = Date.parse('2026-03-01T10:00:00.000Z');
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  afterAll(() => steno.close());

  const create = (key: string, body: unknown) =>
    steno.call('POST', '/snippets/create', { key, body, headers: { 'content-type': 'application/json' } });
  const add = async (key: string, trigger: string, replacement = `${trigger}!`): Promise<Snippet> => {
    const { status, body } = await create(key, { trigger, replacement });
    expect(status).toBe(201);
    return body.data;
  };
  const change = (key: string, id: string, body: unknown) =>
    steno.call('PATCH', `/snippets/${id}`, { key, body });
  const list = async (key: string, query = '') => {
    const { status, body } = await steno.call('GET', `/snippets/list${query}`, { key });
    expect(status).toBe(200);
    return body as { data: Snippet[]; has_more: boolean; next_cursor: string | null };
  };

  test('a created snippet is listed as it was answered', async () => {
    const { key } = await steno.person();
    const snippet = await add(key, '  my address ', 'Main Street 1\n12345 Town ');
    expect(snippet).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      trigger: 'my address',
      replacement: 'Main Street 1\n12345 Town ',
      created_at: new Date(now).toISOString(),
      updated_at: new Date(now).toISOString(),
    });
    expect(await list(key)).toEqual({ data: [snippet], has_more: false, next_cursor: null });
  });

  test.each([
    ['case', 'Straße', 'STRASSE'],
    ['spaces around', 'sig', ' sig\u00A0'],
    ['width', 'brb', 'ｂｒｂ'],
    ['ligatures', 'office', 'oﬃce'],
    ['composition', 'caf\u00E9', 'cafe\u0301'],
    ['what is invisible', 'omw', 'o\u200Bm\u200Fw'],
  ])('a trigger that differs only by %s is 409 and stores nothing', async (_, first, second) => {
    const { key } = await steno.person();
    const snippet = await add(key, first);
    const { status, body } = await create(key, { trigger: second, replacement: 'x' });
    expect([status, body.error.code]).toEqual([409, 'conflict']);
    expect((await list(key)).data).toEqual([snippet]);
  });

  test.each<[string, unknown]>([
    ['no body', undefined],
    ['no trigger', { replacement: 'x' }],
    ['no replacement', { trigger: 'x' }],
    ['an empty trigger', { trigger: ' ', replacement: 'x' }],
    ['an empty replacement', { trigger: 'x', replacement: '' }],
    ['a trigger of 101 characters', { trigger: 'é'.repeat(101), replacement: 'x' }],
    ['a replacement of 5,001 characters', { trigger: 'x', replacement: 'y'.repeat(5_001) }],
    ['an invisible trigger', { trigger: '\u200B\u2060', replacement: 'x' }],
    ['a trigger of two lines', { trigger: 'a\r\nb', replacement: 'x' }],
    ['a trigger that turns direction', { trigger: 'a\u202Eb', replacement: 'x' }],
    ['a number', { trigger: 1, replacement: 'x' }],
    ['null', { trigger: 'x', replacement: null }],
    ['U+0000 in the replacement', '{"trigger":"x","replacement":"a\\u0000"}'],
    ['a lone surrogate in the trigger', '{"trigger":"\\udc00","replacement":"a"}'],
  ])('refuses %s and stores nothing', async (_, body) => {
    const { key } = await steno.person();
    const answer = await create(key, body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
    expect((await list(key)).data).toEqual([]);
  });

  test('the longest trigger and replacement are taken, counted in characters', async () => {
    const { key } = await steno.person();
    const snippet = await add(key, '🎤'.repeat(100), '🎧'.repeat(5_000));
    expect((await list(key)).data).toEqual([snippet]);
  });

  test('parallel creates of one trigger: one is stored, the others are 409', async () => {
    const { key } = await steno.person();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        create(key, { trigger: i % 2 ? 'Sig' : 'sIG', replacement: `${i}` }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)]);
    expect((await list(key)).data).toEqual([answers.find(({ status }) => status === 201)?.body.data]);
  });

  test('only the given members change', async () => {
    const { key } = await steno.person();
    const snippet = await add(key, 'sig', 'Ada');
    now += 1_000;
    const updated_at = new Date(now).toISOString();
    const replaced = await change(key, snippet.id, { replacement: 'Ada L.', unknown: true });
    expect(replaced.body.data).toEqual({ ...snippet, replacement: 'Ada L.', updated_at });
    const renamed = await change(key, snippet.id, { trigger: ' SIG ' });
    expect(renamed.body.data).toEqual({ ...snippet, trigger: 'SIG', replacement: 'Ada L.', updated_at });
    const both = await change(key, snippet.id, { trigger: 'other', replacement: 'B' });
    expect(both.body.data).toEqual({ ...snippet, trigger: 'other', replacement: 'B', updated_at });
    expect((await list(key)).data).toEqual([both.body.data]);
    await add(key, 'sig');
  });

  test.each<[string, unknown]>([
    ['nothing', {}],
    ['only unknown members', { name: 'x' }],
    ['an empty trigger', { trigger: '' }],
    ['an empty replacement', { replacement: '' }],
    ['a good trigger and a bad replacement', { trigger: 'good', replacement: 5 }],
    ['null', { trigger: null }],
  ])('a change of %s is 400 and changes nothing', async (_, body) => {
    const { key } = await steno.person();
    const snippet = await add(key, 'sig');
    const answer = await change(key, snippet.id, body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
    expect((await list(key)).data).toEqual([snippet]);
  });

  test("a change to another snippet's trigger is 409 and changes nothing", async () => {
    const { key } = await steno.person();
    const [one, two] = [await add(key, 'one'), await add(key, 'two')];
    const { status, body } = await change(key, one.id, { trigger: 'TWO', replacement: 'x' });
    expect([status, body.error.code]).toEqual([409, 'conflict']);
    expect((await list(key)).data).toEqual([two, one]);
  });

  test('a deleted snippet is gone, and deleting or changing it is 404', async () => {
    const { key } = await steno.person();
    const { id } = await add(key, 'sig');
    expect((await steno.call('DELETE', `/snippets/${id}`, { key })).status).toBe(204);
    for (const gone of [id, unknownId, 'no-id']) {
      const removed = await steno.call('DELETE', `/snippets/${gone}`, { key });
      expect([removed.status, removed.body.error.message]).toEqual([404, 'Snippet not found']);
      expect((await change(key, gone, { trigger: 'x' })).status).toBe(404);
    }
    await add(key, 'sig');
  });

  test("another user's snippets are out of reach, and their triggers are free", async () => {
    const [ada, eve] = [await steno.person(), await steno.person()];
    const snippet = await add(ada.key, 'sig', 'secret');
    expect((await change(eve.key, snippet.id, { replacement: 'x' })).status).toBe(404);
    expect((await steno.call('DELETE', `/snippets/${snippet.id}`, { key: eve.key })).status).toBe(404);
    expect((await list(eve.key)).data).toEqual([]);
    await add(eve.key, 'sig');
    expect((await list(ada.key)).data).toEqual([snippet]);
  });

  test.each([
    ['GET', '/snippets/list', 'snippets:read'],
    ['POST', '/snippets/create', 'snippets:write'],
    ['PATCH', `/snippets/${unknownId}`, 'snippets:write'],
    ['DELETE', `/snippets/${unknownId}`, 'snippets:write'],
  ])('%s %s needs the scope %s on a personal key', async (method, path, scope) => {
    const { key } = await steno.person({ scopes: ['dictionary:read', 'dictionary:write'] });
    const missing = await steno.call(method, path, { key });
    expect([missing.status, missing.body.error.code]).toEqual([403, 'forbidden']);
    expect(missing.body.error.message).toContain(scope);
    const wrongKind = await steno.call(method, path, { key: (await steno.team()).key });
    expect([wrongKind.status, wrongKind.body.error.code]).toEqual([403, 'forbidden']);
  });

  test('pages cover every snippet once, newest first, while others come and go', async () => {
    const { key } = await steno.person();
    const made: Snippet[] = [];
    for (const trigger of ['a', 'b', 'c', 'd', 'e']) {
      now += 1_000;
      made.push(await add(key, trigger));
    }
    const first = await list(key, '?limit=2');
    expect(first.data.map(({ trigger }) => trigger)).toEqual(['e', 'd']);
    now += 1_000;
    await add(key, 'newer');
    await steno.call('DELETE', `/snippets/${made[3]?.id}`, { key });
    const second = await list(key, `?limit=2&cursor=${first.next_cursor}`);
    expect(second.data.map(({ trigger }) => trigger)).toEqual(['c', 'b']);
    const third = await list(key, `?limit=2&cursor=${second.next_cursor}`);
    expect(third).toEqual({ data: [made[0]], has_more: false, next_cursor: null });
  });

  test.each(['?limit=0', '?limit=501', '?limit=x', '?cursor=%20'])('refuses %s', async (query) => {
    const { key } = await steno.person();
    const { status, body } = await steno.call('GET', `/snippets/list${query}`, { key });
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
  });

  test('the snippets of a removed account are removed with it', async () => {
    const { user, key } = await steno.person();
    await add(key, 'sig');
    await steno.users.remove(user.id);
    expect(await page(steno.database.db, user.id, { limit: 10 })).toEqual([]);
  });
});

interface Snippet {
  id: string;
  trigger: string;
  replacement: string;
}
