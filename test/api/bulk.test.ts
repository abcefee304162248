import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { stoppedClock } from '../support/clock.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(anyDatabase)('many at once, on %s', (databaseKind) => {
  let steno: TestSteno;
  let key: string;
  beforeAll(async () => {
    // Requests are counted by the minute, which must not end between two of them.
    steno = await startSteno({ databaseKind, clock: stoppedClock(Date.now()) });
  });
  beforeEach(async () => {
    ({ key } = await steno.person());
  });
  afterAll(() => steno.close());

  const create = (notes: unknown, headers: Record<string, string> = {}, as = key) =>
    steno.call('POST', '/notes/create-many', { key: as, body: { notes }, headers });
  const statuses = (body: { data: { status: number }[] }) => body.data.map(({ status }) => status);
  const listed = async (path: string, as = key) =>
    (await steno.call('GET', path, { key: as })).body.data as { id: string; content: string }[];

  test('a hundred notes are stored and found; a refused row does not hold up the others', async () => {
    const notes = Array.from({ length: 100 }, (_, at) => ({ content: `walrus number ${at}` }));
    const answer = await create(notes.map((note, at) => (at === 7 ? { content: 7 } : note)));
    expect(answer.status).toBe(200);
    expect(statuses(answer.body)).toEqual(notes.map((_, at) => (at === 7 ? 400 : 201)));
    expect(answer.body.data[7]).toEqual({
      status: 400,
      data: null,
      error: { code: 'validation_error', message: 'content must be a string.', param: 'content' },
    });
    expect(answer.body.data[99].data).toMatchObject({ content: 'walrus number 99', revision: 1 });
    const list = await listed('/notes/list?limit=100');
    expect(list).toHaveLength(99);
    const read = await steno.call('GET', `/notes/${answer.body.data[99].data.id}`, { key });
    expect(read.body.data).toMatchObject(answer.body.data[99].data);
    const found = await steno.call('POST', '/notes/search', { key, body: { query: 'walrus' } });
    expect(found.body.total).toBe(99);
  });

  test('a note that is too large to be analysed in the request is found too', async () => {
    const large = 'a sentence of a long talk. '.repeat(8_000);
    const answer = await create([{ content: `${large} narwhal` }]);
    expect(statuses(answer.body)).toEqual([201]);
    const search = () => steno.call('POST', '/notes/search', { key, body: { query: 'narwhal' } });
    // Seldom, because the searches are counted too.
    await expect.poll(async () => (await search()).body.total, { interval: 1_000 }).toBe(1);
  });

  test('each row obeys the rules of one note: folders, spaces, own ids, transcriptions', async () => {
    const folder_id = (await steno.call('POST', '/folders/create', { key, body: { name: 'F' } })).body.data
      .id;
    const { id: transcription_id } = (await steno.upload(key)).body.data;
    const other = await steno.person();
    const answer = await create([
      { content: 'in', folder_id },
      { content: 'in', folder_id: other.user.id },
      { content: 'in', space_id: other.user.id },
      { content: 'mine', client_note_id: 'a' },
      { content: 'again', client_note_id: 'a' },
      { content: 'said', transcription_id },
      { content: 'said again', transcription_id },
      { content: '' },
      'no object',
      null,
    ]);
    expect(statuses(answer.body)).toEqual([201, 400, 400, 201, 200, 201, 409, 400, 400, 400]);
    const [, folder, space, mine, again] = answer.body.data;
    expect([folder.error.param, space.error.param]).toEqual(['folder_id', 'space_id']);
    expect(again.data.id).toBe(mine.data.id);
    expect((await create([{ content: 'later', client_note_id: 'a' }])).body.data[0]).toMatchObject({
      status: 200,
      data: { id: mine.data.id, content: 'mine' },
    });
  });

  test('with an Idempotency-Key it happens once, and is answered from what was made', async () => {
    const headers = { 'idempotency-key': 'one' };
    const rows = [{ content: 'one' }, { content: 2 }, { content: 'x', client_note_id: 'c' }];
    const first = await create([...rows, rows[2]], headers);
    const second = await create([...rows, rows[2]], headers);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(statuses(first.body)).toEqual([201, 400, 201, 200]);
    const ids = (answer: typeof first) =>
      answer.body.data.map(({ data, error }: { data: { id: string }; error: object }) => data?.id ?? error);
    expect(ids(second)).toEqual(ids(first));
    expect(await listed('/notes/list')).toHaveLength(2);
    expect((await create(rows, headers)).status).toBe(400);
    await steno.call('DELETE', `/notes/${first.body.data[0].data.id}`, { key });
    expect(statuses((await create([...rows, rows[2]], headers)).body)).toEqual([404, 400, 201, 200]);
    const race = await Promise.all(
      Array.from({ length: 5 }, () => create([{ content: 'race' }], { 'idempotency-key': 'race' })),
    );
    expect(race.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect((await listed('/notes/list')).filter(({ content }) => content === 'race')).toHaveLength(1);
  });

  test('a workspace key names a space in each row', async () => {
    const team = await steno.team();
    const others = await steno.team();
    const answer = await create(
      [
        { content: 'ours', space_id: team.space.id },
        { content: 'where' },
        { content: 'theirs', space_id: others.space.id },
      ],
      {},
      team.key,
    );
    expect(statuses(answer.body)).toEqual([201, 400, 404]);
    expect(await listed(`/notes/list?space_id=${team.space.id}`, team.key)).toHaveLength(1);
  });

  test('names that a row may not have are said, or refused in that row', async () => {
    const rows = [{ content: 'a', colour: 'red' }, { content: 'b' }];
    const lax = await create(rows);
    expect([statuses(lax.body), lax.headers['steno-ignored']]).toEqual([[201, 201], 'notes[0].colour']);
    const strict = await create(rows, { 'steno-strict': '1' });
    expect(statuses(strict.body)).toEqual([400, 201]);
    expect(strict.body.data[0].error.param).toBe('colour');
  });

  test('ten rows count as one request; what does not fit creates nothing', async () => {
    const free = await steno.person({ plan: 'free' });
    const rows = Array.from({ length: 100 }, () => ({ content: 'x' }));
    const left = async (count: number) =>
      (await create(rows.slice(0, count), {}, free.key)).headers['x-ratelimit-remaining'];
    expect([await left(1), await left(10), await left(11), await left(100)].map(Number)).toEqual([
      29, 28, 26, 16,
    ]);
    await create(rows, {}, free.key);
    const refused = await create(rows, {}, free.key);
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  test.each([[[]], [Array.from({ length: 101 }, () => ({ content: 'x' }))], [undefined], ['x']])(
    'no rows, more than 100 or no list are 400',
    async (notes) => {
      const answer = await create(notes);
      expect([answer.status, answer.headers['x-error-param']]).toEqual([400, 'notes']);
    },
  );

  test('snippets: each trigger once, also within the request', async () => {
    const headers = { 'idempotency-key': 's' };
    const send = () =>
      steno.call('POST', '/snippets/create-many', {
        key,
        headers,
        body: {
          snippets: [
            { trigger: 'one', replacement: '1' },
            { trigger: ' ONE ', replacement: '2' },
            { trigger: 'two' },
            { trigger: 'three', replacement: '3' },
          ],
        },
      });
    const first = await send();
    expect(statuses(first.body)).toEqual([201, 409, 400, 201]);
    expect(first.body.data[2].error.param).toBe('replacement');
    expect((await send()).body).toEqual(first.body);
    expect(await listed('/snippets/list')).toHaveLength(2);
  });

  test('words are deleted, each with its outcome; nobody else’s', async () => {
    const add = async (as: string, words: string[]) =>
      (await steno.call('POST', '/dictionary/create', { key: as, body: { words } })).body.data as {
        id: string;
      }[];
    const [one, two] = await add(key, ['one', 'two']);
    const other = await steno.person();
    const [theirs] = await add(other.key, ['theirs']);
    const ids = [one?.id, one?.id.toUpperCase(), theirs?.id, 'no id', two?.id];
    const send = () =>
      steno.call('POST', '/dictionary/delete-many', {
        key,
        body: { ids },
        headers: { 'idempotency-key': 'd' },
      });
    const answer = await send();
    expect(statuses(answer.body)).toEqual([204, 404, 404, 400, 204]);
    expect((await send()).body).toEqual(answer.body);
    expect(await listed('/dictionary/list')).toEqual([]);
    expect(await listed('/dictionary/list', other.key)).toHaveLength(1);
  });

  test('scopes, workspace keys and policy are those of one row', async () => {
    const reader = await steno.person({ scopes: ['notes:read'] });
    expect((await create([{ content: 'x' }], {}, reader.key)).status).toBe(403);
    const team = await steno.team();
    for (const [path, body] of [
      ['/snippets/create-many', { snippets: [{ trigger: 't', replacement: 'r' }] }],
      ['/dictionary/delete-many', { ids: ['x'] }],
    ] as const)
      expect((await steno.call('POST', path, { key: team.key, body })).status).toBe(403);
  });

  test('thirty requests of a hundred rows at once are all stored', async () => {
    const people = await Promise.all(Array.from({ length: 30 }, () => steno.person()));
    const rows = Array.from({ length: 100 }, (_, at) => ({ content: `n ${at}` }));
    const answers = await Promise.all(people.map((one) => create(rows, {}, one.key)));
    for (const { body } of answers) expect(new Set(statuses(body))).toEqual(new Set([201]));
  });
});
