import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { encodeForm } from '../support/form.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { databaseKinds, silentLog, startSteno, type TestSteno } from '../support/steno.ts';

const dayMs = 86_400_000;

describe.each(databaseKinds)('a request with an Idempotency-Key, on %s', (databaseKind) => {
  let steno: TestSteno;
  let now = Date.parse('2026-10-15T12:00:00.000Z');
  let key: string;
  let token: string;
  let workspaceId: string;
  const speech = createFakeSpeech();
  beforeAll(async () => {
    steno = await startSteno({
      databaseKind,
      clock: () => now,
      speech,
      config: { webhookNetworks: ['127.0.0.1'] },
    });
  });
  beforeEach(async () => {
    const person = await steno.person();
    key = person.key;
    token = (await steno.signIn(person.user)).token;
    workspaceId = (await steno.workspaces.create({ userId: person.user.id }, { name: 'Team' })).id;
  });
  afterAll(() => steno.close());

  const send = (path: string, body: unknown, name = 'one', as = key) =>
    steno.call('POST', path, { key: as, body, headers: { 'idempotency-key': name } });
  const create = (content: string, name = 'one', as = key) => send('/notes/create', { content }, name, as);
  const notesOf = async (as = key) => (await steno.call('GET', '/notes/list', { key: as })).body.data;
  const transcribe = (file: Buffer, name = 'one') => {
    const { payload, headers } = encodeForm({ file });
    return steno.call('POST', '/transcribe', {
      key,
      body: payload,
      headers: { ...headers, 'idempotency-key': name },
    });
  };

  test('is carried out once, and its answer comes again', async () => {
    const first = await create('mine');
    const second = await create('mine');
    expect([first.status, first.headers['idempotency-replayed']]).toEqual([201, undefined]);
    expect([second.status, second.headers['idempotency-replayed']]).toEqual([201, 'true']);
    expect(second.text).toBe(first.text);
    expect(await notesOf()).toHaveLength(1);
  });

  test.each(['gzip', 'br', 'gzip, deflate, br, zstd', undefined])(
    'gets the same answer again if it is long, with Accept-Encoding %s',
    async (encoding) => {
      const ask = () =>
        steno.call('POST', '/notes/create', {
          key,
          body: { content: 'three thousand '.repeat(200) },
          headers: { 'idempotency-key': 'one', 'accept-encoding': encoding },
        });
      const [first, second] = [await ask(), await ask()];
      expect(second.headers['idempotency-replayed']).toBe('true');
      expect(second.headers['content-encoding']).toBe(encoding?.includes('gzip') ? 'gzip' : undefined);
      expect(second.body).toEqual(first.body);
    },
  );

  const found = async (query: string) =>
    (await steno.call('POST', '/notes/search', { key, body: { query } })).body.data;

  test('that makes a note of 25,000 letters makes one that is found, without anything else happening', async () => {
    expect((await create(`${'filler '.repeat(4_000)} zanzibar`)).status).toBe(201);
    await expect.poll(() => found('zanzibar')).toHaveLength(1);
  });

  test('that makes a long note lets others write, while another long note waits for its index', async () => {
    const long = (word: string) => `${'filler '.repeat(8_000)} ${word}`;
    const plain = (content: string) => steno.call('POST', '/notes/create', { key, body: { content } });
    const answers = await Promise.all([
      plain(long('first')),
      create(long('second'), 'one'),
      plain(long('third')),
      create(long('fourth'), 'two'),
      plain('short'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201));
    await expect.poll(() => found('second')).toHaveLength(1);
  });

  test('is answered from what it made: changed since, and gone', async () => {
    const { id } = (await create('before')).body.data;
    await steno.call('PATCH', `/notes/${id}`, { key, body: { content: 'after' } });
    const changed = await create('before');
    expect([changed.status, changed.body.data.content]).toEqual([201, 'after']);
    await steno.call('DELETE', `/notes/${id}`, { key });
    const gone = await create('before');
    expect([gone.status, gone.body.error.code]).toEqual([404, 'not_found']);
    expect(await notesOf()).toEqual([]);
  });

  test('in a browser with its cookie is carried out once', async () => {
    const { user } = await steno.person();
    const { cookie } = await steno.signIn(user);
    const headers = { cookie, 'idempotency-key': 'one' };
    const ask = () => steno.call('POST', '/notes/create', { body: { content: 'x'.repeat(3_000) }, headers });
    const [first, second] = [await ask(), await ask()];
    expect([first.status, second.status, second.headers['idempotency-replayed']]).toEqual([201, 201, 'true']);
    expect(second.body).toEqual(first.body);
  });

  test.each<[string, unknown, 'key' | 'token']>([
    ['/folders/create', { name: 'F' }, 'key'],
    ['/dictionary/create', { words: ['idempotent'] }, 'key'],
    ['/snippets/create', { trigger: 't', replacement: 'r' }, 'key'],
    ['/webhooks', { url: 'http://127.0.0.1:9/', events: ['note.created'] }, 'key'],
    ['/keys/create', { name: 'K' }, 'token'],
    ['/api/workspaces', { name: 'W' }, 'token'],
    ['/api/workspaces/:id/spaces', { name: 'S' }, 'token'],
    ['/api/workspaces/:id/api-keys', { name: 'K', scopes: ['workspace:*'] }, 'token'],
    ['/api/workspaces/:id/invitations', { email: 'guest@example.org' }, 'token'],
  ])('POST %s creates once', async (form, body, credential) => {
    const path = form.replace(':id', workspaceId);
    const as = credential === 'key' ? key : token;
    const first = await send(path, body, 'one', as);
    const second = await send(path, body, 'one', as);
    expect([first.status, second.status, second.headers['idempotency-replayed']]).toEqual([201, 201, 'true']);
    expect(second.text).toBe(first.text);
  });

  test('rotates a key once, and tells the new secret again', async () => {
    const { id } = (await send('/keys/create', { name: 'K' }, 'made', token)).body.data;
    const first = await send(`/keys/${id}/rotate`, {}, 'one', token);
    const second = await send(`/keys/${id}/rotate`, {}, 'one', token);
    expect([first.status, second.status, second.headers['idempotency-replayed']]).toEqual([200, 200, 'true']);
    expect(second.text).toBe(first.text);
    expect((await steno.call('GET', '/notes/list', { key: second.body.data.key })).status).toBe(200);
  });

  test('twenty at once create one', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('race')));
    for (const { status, body } of answers)
      expect(status === 201 || (status === 409 && body.error.code === 'conflict')).toBe(true);
    const notes = await notesOf();
    expect(notes).toHaveLength(1);
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.data.id);
    expect(new Set(made)).toEqual(new Set([notes[0].id]));
    expect((await create('race')).body.data.id).toBe(notes[0].id);
  });

  test.runIf(databaseKind === 'postgres')('sent to two servers at once creates one', async () => {
    const other = await compose(steno.config, { log: silentLog, clock: () => now, ...speech });
    const body = { content: 'three thousand '.repeat(200) };
    const headers = { 'idempotency-key': 'one' };
    const there = () =>
      other.app.inject({
        method: 'POST',
        url: '/api/v1/notes/create',
        payload: body,
        headers: { ...headers, authorization: `Bearer ${key}` },
      });
    const here = () => steno.call('POST', '/notes/create', { key, body, headers });
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async (_, at) =>
        at % 2 ? (await here()).status : (await there()).statusCode,
      ),
    );
    expect(statuses.every((status) => status === 201 || status === 409)).toBe(true);
    expect(await notesOf()).toHaveLength(1);
    const [mine, theirs] = [await here(), await there()];
    expect([mine.headers, theirs.headers]).toMatchObject(Array(2).fill({ 'idempotency-replayed': 'true' }));
    expect(theirs.json()).toEqual(mine.body);
    await other.close();
  });

  test('many with keys of their own are all carried out', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => create(`n${at}`, `key ${at}`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(await notesOf()).toHaveLength(20);
  });

  test('with another body is 400', async () => {
    await create('mine');
    const other = await create('yours');
    expect([other.status, other.body.error.code]).toEqual([400, 'validation_error']);
    expect(await notesOf()).toHaveLength(1);
  });

  test('that meets a note with its client_note_id gets it again, and with another body is 400', async () => {
    const body = { content: 'mine', client_note_id: 'mine-1' };
    const { id } = (await steno.call('POST', '/notes/create', { key, body })).body.data;
    const first = await send('/notes/create', body);
    expect([first.status, first.body.data.id]).toEqual([200, id]);
    const second = await send('/notes/create', body);
    expect([second.status, second.headers['idempotency-replayed']]).toEqual([200, 'true']);
    expect(second.body).toEqual(first.body);
    const other = await send('/notes/create', { content: 'yours', client_note_id: 'yours-1' });
    expect([other.status, other.body.error?.code]).toEqual([400, 'validation_error']);
    expect(await notesOf()).toHaveLength(1);
  });

  test('that fails leaves its key free', async () => {
    await send('/folders/create', { name: 'Taken' }, 'first');
    expect((await send('/folders/create', { name: 'Taken' }, 'second')).status).toBe(409);
    const free = await send('/folders/create', { name: 'Free' }, 'second');
    expect([free.status, free.headers['idempotency-replayed']]).toEqual([201, undefined]);
  });

  test('that the engine fails leaves its key free', async () => {
    speech.breakDown(7);
    expect((await transcribe(recording())).status).toBe(503);
    speech.mend();
    const again = await transcribe(recording());
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, undefined]);
  });

  test('that fails disturbs no request of others that is still running', async () => {
    const goOn = speech.hold();
    const asked = speech.seen.length;
    const running = transcribe(recording());
    await speech.reached(asked + 1);
    const other = await steno.person();
    await send('/folders/create', { name: 'Taken' }, 'first', other.key);
    expect((await send('/folders/create', { name: 'Taken' }, 'second', other.key)).status).toBe(409);
    goOn();
    expect((await running).status).toBe(200);
    expect((await transcribe(recording())).headers['idempotency-replayed']).toBe('true');
    expect((await send('/folders/create', { name: 'Taken' }, 'first', other.key)).status).toBe(201);
  });

  test('that is refused with 400 is carried out again, and not answered from memory', async () => {
    const headers = { 'content-type': 'application/zip', 'idempotency-key': 'one' };
    const ask = () => steno.call('POST', '/import', { key, body: Buffer.from('no zip'), headers });
    for (const { status, headers: answered } of [await ask(), await ask()])
      expect([status, answered['idempotency-replayed']]).toEqual([400, undefined]);
    const rows = await steno.database.db
      .selectFrom('idempotency_keys')
      .select('id')
      .where('route', 'like', '%/import')
      .execute();
    expect(rows).toEqual([]);
  });

  test('is new again after 24 hours', async () => {
    await create('mine');
    now += dayMs - 1;
    expect((await create('mine')).headers['idempotency-replayed']).toBe('true');
    now += 1;
    expect((await create('mine')).headers['idempotency-replayed']).toBeUndefined();
    expect(await notesOf()).toHaveLength(2);
  });

  test("has nothing to do with another person's, nor with another route's", async () => {
    const other = await steno.person();
    const [mine, theirs] = [await create('same'), await create('same', 'one', other.key)];
    expect(theirs.status).toBe(201);
    expect(theirs.body.data.id).not.toBe(mine.body.data.id);
    expect(theirs.headers['idempotency-replayed']).toBeUndefined();
    expect((await send('/folders/create', { name: 'same' })).status).toBe(201);
  });

  test.each(['', 'x'.repeat(256), 'naïve', 'a\tb'])('with the key %j is 400', async (name) => {
    const refused = await create('mine', name);
    expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error']);
    expect((await create('mine', 'x'.repeat(255))).status).toBe(201);
  });

  test('keeps no secret and no text in clear', async () => {
    const { body } = await send('/keys/create', { name: 'K' }, 'one', token);
    await create('a very private thought');
    const rows = await steno.database.db.selectFrom('idempotency_keys').selectAll().execute();
    expect(rows.length).toBeGreaterThanOrEqual(2);
    const kept = rows.map((row) => [JSON.stringify(row), Buffer.from(row.answer ?? '', 'base64').toString()]);
    expect(kept.flat().join()).not.toContain(body.data.key);
    expect(kept.flat().join()).not.toContain('private thought');
  });

  test('in another session of the same person is 409, and creates nothing', async () => {
    const person = await steno.person();
    const [one, two] = [await steno.signIn(person.user), await steno.signIn(person.user)];
    await create('mine', 'one', one.token);
    expect((await create('mine', 'one', two.token)).status).toBe(409);
    expect(await notesOf(person.key)).toHaveLength(1);
  });

  test('in another browser of the same person is 409, and tells nothing', async () => {
    const { user, key: own } = await steno.person();
    const ask = (cookie: string) =>
      steno.call('POST', '/notes/create', {
        body: { content: 'mine' },
        headers: { cookie, 'idempotency-key': 'one' },
      });
    const [one, two] = [await steno.signIn(user), await steno.signIn(user)];
    expect((await ask(one.cookie)).status).toBe(201);
    expect((await ask(two.cookie)).status).toBe(409);
    expect(await notesOf(own)).toHaveLength(1);
  });

  test('that another server took over meanwhile changes nothing and says so', async () => {
    const goOn = speech.hold();
    const asked = speech.seen.length;
    const running = transcribe(recording({ ms: 60_000 }));
    await speech.reached(asked + 1);
    await steno.database.write((trx) => trx.deleteFrom('idempotency_keys').execute());
    goOn();
    const lost = await running;
    expect([lost.status, lost.body.error.code, lost.headers['retry-after']]).toEqual([
      503,
      'service_unavailable',
      '1',
    ]);
    expect((await steno.call('GET', '/usage', { key })).body.data.audio_ms_used).toBe(0);
    expect((await steno.call('GET', '/transcriptions/list', { key })).body.data).toEqual([]);
  });

  test('transcribes once and charges once; while it runs, the same is 409', async () => {
    const goOn = speech.hold();
    const file = recording({ ms: 60_000, words: 3 });
    const asked = speech.seen.length;
    const running = transcribe(file);
    await speech.reached(asked + 1);
    const meanwhile = await transcribe(file);
    expect([meanwhile.status, meanwhile.body.error.code]).toEqual([409, 'conflict']);
    expect(meanwhile.headers['retry-after']).toBe('1');
    goOn();
    const first = await running;
    const again = await transcribe(file);
    expect([first.status, again.status, again.headers['idempotency-replayed']]).toEqual([200, 200, 'true']);
    expect(again.text).toBe(first.text);
    expect((await transcribe(recording({ ms: 1_000 }))).status).toBe(400);
    expect(speech.seen).toHaveLength(asked + 1);
    const usage = await steno.call('GET', '/usage', { key });
    expect(usage.body.data.audio_ms_used).toBe(60_000);
  });
});
