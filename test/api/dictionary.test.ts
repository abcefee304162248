import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forPrompt, markUsed, page } from '../../src/features/dictionary/queries.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(anyDatabase)('dictionary on %s', (databaseKind) => {
  let now = Date.parse('2026-03-01T10:00:00.000Z');
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  afterAll(() => steno.close());

  const create = (key: string, body: unknown) => steno.call('POST', '/dictionary/create', { key, body });
  const add = async (key: string, ...words: string[]): Promise<Entry[]> => {
    const { status, body } = await create(key, { words });
    expect(status).toBe(201);
    return body.data;
  };
  const list = (key: string, query = '') => steno.call('GET', `/dictionary/list${query}`, { key });
  const words = async (key: string): Promise<string[]> =>
    (await list(key, '?limit=500')).body.data.map(({ word }: Entry) => word);

  test('added words come back in the order asked, as they will be listed', async () => {
    const { key } = await steno.person();
    const added = await add(key, 'Zürich', 'Ada', 'Łódź');
    expect(added.map(({ word }) => word)).toEqual(['Zürich', 'Ada', 'Łódź']);
    expect(added[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      word: 'Zürich',
      source: 'manual',
      created_at: new Date(now).toISOString(),
      updated_at: new Date(now).toISOString(),
    });
    expect((await list(key)).body).toEqual({
      data: added.toReversed(),
      has_more: false,
      next_cursor: null,
    });
  });

  test('one word may be sent as word', async () => {
    const { key } = await steno.person();
    const { status, body } = await create(key, { word: ' Steno ', unknown: 1 });
    expect(status).toBe(201);
    expect(body.data).toMatchObject([{ word: 'Steno' }]);
  });

  test('a word that is there already is returned as it was, not duplicated', async () => {
    const { key } = await steno.person();
    const [first] = await add(key, 'Straße');
    now += 1_000;
    const added = await add(key, 'new', ' STRASSE ', 'stras\u00ADse', 'NEW', 'ｎｅｗ');
    expect(added.map(({ word }) => word)).toEqual(['new', 'Straße', 'Straße', 'new', 'new']);
    expect(added[1]).toEqual(first);
    expect(added[3]).toEqual(added[0]);
    expect(await words(key)).toEqual(['new', 'Straße']);
  });

  test.each([
    ['combining marks, kept as sent', 'e\u0301lan'],
    ['100 emoji', '🎤'.repeat(100)],
    ['100 characters that fold to 1,800', 'ﷺ'.repeat(100)],
    ['right-to-left text', 'שלום עולם'],
    ['right-to-left text with a direction mark', 'שלום\u200F!'],
    ['Persian with a joiner', 'می\u200Cخواهم'],
    ['a quote and a backslash', `O'Neil \\ "%_`],
  ])('takes %s', async (_, word) => {
    const { key } = await steno.person();
    expect((await add(key, word))[0]?.word).toBe(word);
    expect(await words(key)).toEqual([word]);
  });

  const tooLong = 'a'.repeat(101);
  test.each<[string, unknown]>([
    ['no member', {}],
    ['no body', undefined],
    ['an array', ['word']],
    ['no words', { words: [] }],
    ['201 words', { words: Array.from({ length: 201 }, (_, i) => `w${i}`) }],
    ['word and words', { word: 'a', words: ['b'] }],
    ['a number', { words: ['good', 7] }],
    ['null', { word: null }],
    ['an empty word', { words: ['good', ''] }],
    ['only spaces', { words: ['good', ' \u3000\t'] }],
    ['101 characters', { words: ['good', tooLong] }],
    ['101 emoji', { words: ['good', '🎤'.repeat(101)] }],
    ['only zero-width characters', { words: ['good', '\u200B\u200D\uFEFF\u2060'] }],
    ['only a Hangul filler', { words: ['good', '\u3164'] }],
    ['a line break', { words: ['good', 'two\nlines'] }],
    ['a line separator', { words: ['good', 'two\u2028lines'] }],
    ['an escape character', { words: ['good', 'red\u001B[31m'] }],
    ['a right-to-left override', { words: ['good', 'abc\u202Egpj.exe'] }],
    ['an isolate', { words: ['good', '\u2067abc'] }],
    ['a lone surrogate', '{"words":["good","\\ud800"]}'],
    ['U+0000', '{"words":["good","a\\u0000b"]}'],
    ['broken JSON', '{"words":['],
  ])('refuses %s and stores nothing', async (_, body) => {
    const { key } = await steno.person();
    const headers = { 'content-type': 'application/json' };
    const answer = await steno.call('POST', '/dictionary/create', { key, body, headers });
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe('validation_error');
    expect(await words(key)).toEqual([]);
  });

  test('a refusal names the item', async () => {
    const { key } = await steno.person();
    const { body } = await create(key, { words: ['good', tooLong] });
    expect(body.error.message).toBe('words[1] must have 1 to 100 characters.');
  });

  test('200 words at once are taken, 100 characters each', async () => {
    const { key } = await steno.person();
    const asked = Array.from({ length: 200 }, (_, i) => `${i}`.padEnd(100, 'ß'));
    expect((await add(key, ...asked)).map(({ word }) => word)).toEqual(asked);
    expect((await list(key)).body.data).toHaveLength(200);
  });

  test('a body over 1 MiB is 413', async () => {
    const { key } = await steno.person();
    const { status, body } = await create(key, { words: ['a'.repeat(1_100_000)] });
    expect([status, body.error.code]).toEqual([413, 'payload_too_large']);
  });

  test('the same words added in parallel make one entry each, with one id', async () => {
    const { key } = await steno.person();
    const spellings = ['Straße', 'STRASSE', 'strasse', 'Strasse'];
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => add(key, spellings[i % 4] ?? '', `own ${i}`, 'Common')),
    );
    expect(new Set(answers.map(([street]) => street?.id)).size).toBe(1);
    expect(new Set(answers.map(([, , common]) => common?.id)).size).toBe(1);
    expect(await words(key)).toHaveLength(2 + 12);
  });

  test('a change and an addition of the same word in parallel leave one entry with it', async () => {
    const { key } = await steno.person();
    const [entry] = await add(key, 'before');
    const path = `/dictionary/${entry?.id}`;
    await Promise.all([
      ...Array.from({ length: 4 }, () => add(key, 'After')),
      steno.call('PATCH', path, { key, body: { word: 'after' } }),
    ]);
    expect((await words(key)).filter((word) => word.toLowerCase() === 'after')).toHaveLength(1);
  });

  test('the spelling of a word can be changed, its own case too', async () => {
    const { key } = await steno.person();
    const [entry] = await add(key, 'stenno');
    for (const word of ['steno', 'Steno']) {
      now += 1_000;
      const { status, body } = await steno.call('PATCH', `/dictionary/${entry?.id}`, { key, body: { word } });
      expect(status).toBe(200);
      expect(body.data).toEqual({ ...entry, word, updated_at: new Date(now).toISOString() });
    }
    expect(await words(key)).toEqual(['Steno']);
    expect((await add(key, 'stenno'))[0]?.id).not.toBe(entry?.id);
  });

  test.each<[string, unknown]>([
    ['no word', {}],
    ['an empty word', { word: '  ' }],
    ['a number', { word: 1 }],
    ['101 characters', { word: tooLong }],
    ['an invisible word', { word: '\u200B' }],
  ])('a change to %s is refused and changes nothing', async (_, body) => {
    const { key } = await steno.person();
    const [entry] = await add(key, 'kept');
    expect((await steno.call('PATCH', `/dictionary/${entry?.id}`, { key, body })).status).toBe(400);
    expect((await list(key)).body.data).toEqual([entry]);
  });

  test("a change to another entry's word is 409 and changes nothing", async () => {
    const { key } = await steno.person();
    const [one] = await add(key, 'one', 'Straße');
    const { status, body } = await steno.call('PATCH', `/dictionary/${one?.id}`, {
      key,
      body: { word: ' STRASSE' },
    });
    expect([status, body.error.code]).toEqual([409, 'conflict']);
    expect(await words(key)).toEqual(['Straße', 'one']);
  });

  test('a deleted word is gone, deleting it again is 404, and it can be added again', async () => {
    const { key } = await steno.person();
    const [entry] = await add(key, 'gone');
    const path = `/dictionary/${entry?.id}`;
    expect((await steno.call('DELETE', path, { key })).status).toBe(204);
    expect((await steno.call('DELETE', path, { key })).status).toBe(404);
    expect((await steno.call('PATCH', path, { key, body: { word: 'x' } })).status).toBe(404);
    expect(await words(key)).toEqual([]);
    expect((await add(key, 'gone'))[0]?.id).not.toBe(entry?.id);
  });

  test('an id in capitals is the same id, and what is no id is 404', async () => {
    const { key } = await steno.person();
    const [entry] = await add(key, 'word');
    const upper = entry?.id.toUpperCase();
    expect((await steno.call('PATCH', `/dictionary/${upper}`, { key, body: { word: 'b' } })).status).toBe(
      200,
    );
    for (const id of ['no-id', randomUUID(), "'; drop table dictionary_words; --"]) {
      const path = `/dictionary/${encodeURIComponent(id)}`;
      const { status, body } = await steno.call('DELETE', path, { key });
      expect([status, body.error.message]).toEqual([404, 'Dictionary entry not found']);
    }
  });

  test("another user's words are out of reach, and do not count as the same", async () => {
    const [ada, eve] = [await steno.person(), await steno.person()];
    const [entry] = await add(ada.key, 'secret');
    const path = `/dictionary/${entry?.id}`;
    expect((await steno.call('PATCH', path, { key: eve.key, body: { word: 'x' } })).status).toBe(404);
    expect((await steno.call('DELETE', path, { key: eve.key })).status).toBe(404);
    expect(await words(eve.key)).toEqual([]);
    expect((await add(eve.key, 'secret'))[0]?.id).not.toBe(entry?.id);
    expect((await list(ada.key)).body.data).toEqual([entry]);
  });

  test.each([
    ['GET', '/dictionary/list', 'dictionary:read'],
    ['POST', '/dictionary/create', 'dictionary:write'],
    ['PATCH', '/dictionary/0199a000-0000-7000-8000-000000000000', 'dictionary:write'],
    ['DELETE', '/dictionary/0199a000-0000-7000-8000-000000000000', 'dictionary:write'],
  ])(
    '%s %s needs the scope %s on a personal key, before anything else is looked at',
    async (method, path, scope) => {
      const without = await steno.person({ scopes: ['notes:read', 'snippets:read', 'snippets:write'] });
      const missing = await steno.call(method, path, { key: without.key });
      expect([missing.status, missing.body.error.code]).toEqual([403, 'forbidden']);
      expect(missing.body.error.message).toContain(scope);
      const { key } = await steno.team();
      const wrongKind = await steno.call(method, path, { key });
      expect([wrongKind.status, wrongKind.body.error.code]).toEqual([403, 'forbidden']);
      expect((await steno.call(method, path)).status).toBe(401);
    },
  );

  test('pages cover every word once, newest first', async () => {
    const { key } = await steno.person();
    await add(key, 'a', 'b', 'c');
    now += 1_000;
    await add(key, 'd', 'e');
    const pages: string[][] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await list(key, `?limit=2${cursor && `&cursor=${cursor}`}`);
      pages.push(body.data.map(({ word }: Entry) => word));
      expect(body.has_more).toBe(body.next_cursor !== null);
      cursor = body.next_cursor;
    }
    expect(pages).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
  });

  test('a cursor keeps its place while words come and go around it', async () => {
    const { key } = await steno.person();
    const [, b, c] = await add(key, 'a', 'b', 'c', 'd');
    const first = (await list(key, '?limit=2')).body;
    expect(first.data.map(({ word }: Entry) => word)).toEqual(['d', 'c']);
    now += 1_000;
    await add(key, 'newer');
    // The row the cursor points at and the one behind it are both gone.
    for (const entry of [b, c])
      expect((await steno.call('DELETE', `/dictionary/${entry?.id}`, { key })).status).toBe(204);
    const second = (await list(key, `?limit=2&cursor=${first.next_cursor}`)).body;
    expect(second.data.map(({ word }: Entry) => word)).toEqual(['a']);
    expect(second.next_cursor).toBeNull();
  });

  test('a page that is exactly full is the last one', async () => {
    const { key } = await steno.person();
    await add(key, 'a', 'b');
    expect((await list(key, '?limit=2')).body).toMatchObject({ has_more: false, next_cursor: null });
  });

  test('without a limit 200 are returned, with one up to 500', async () => {
    const { key } = await steno.person();
    for (let batch = 0; batch < 3; batch += 1)
      await add(key, ...Array.from({ length: 200 }, (_, i) => `word ${batch} ${i}`));
    expect((await list(key)).body.data).toHaveLength(200);
    const most = (await list(key, '?limit=500')).body;
    expect(most.data).toHaveLength(500);
    expect((await list(key, `?limit=500&cursor=${most.next_cursor}`)).body.data).toHaveLength(100);
  });

  test.each([
    '?limit=0',
    '?limit=501',
    '?limit=1.5',
    '?limit=many',
    '?limit=-1',
    '?cursor=no!cursor',
    '?cursor=2026-03-01T10:00:00.000Z',
    `?cursor=${Buffer.from('["x","y"]').toString('base64url')}`,
    '?cursor=',
  ])('refuses %s', async (query) => {
    const { key } = await steno.person();
    const { status, body } = await list(key, query);
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
  });

  test('a transcription is given the words used or added last', async () => {
    const { key } = await steno.person();
    await add(key, 'old');
    now += 1_000;
    await add(key, 'middle');
    now += 1_000;
    await add(key, 'new');
    const isoNow = () => new Date(now).toISOString();
    const principal = await steno.authentication.authenticate(key);
    if (!principal) throw new Error('the key works');
    expect(await forPrompt(steno.database.db, principal.userId, 2)).toEqual(['new', 'middle']);
    now += 1_000;
    await steno.database.write((tx) => markUsed(tx, principal.userId, ['OLD', 'unknown'], isoNow()));
    await steno.database.write((tx) => markUsed(tx, principal.userId, [], isoNow()));
    expect(await forPrompt(steno.database.db, principal.userId, 5)).toEqual(['old', 'new', 'middle']);
  });

  test('the words of a removed account are removed with it', async () => {
    const { user, key } = await steno.person();
    await add(key, 'word');
    await steno.users.remove(user.id);
    expect(await page(steno.database.db, user.id, { limit: 10 })).toEqual([]);
  });
});

interface Entry {
  id: string;
  word: string;
}
