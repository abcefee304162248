import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { openapiFile } from '../../src/console/docs.ts';
import { version } from '../../src/lib/version.ts';
import { anyDatabase, emptyDatabase, silentLog, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(anyDatabase)('for operators, on %s', (databaseKind) => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
  });
  afterAll(() => steno.close());

  const get = (url: string, { app } = steno) => app.inject({ method: 'GET', url });
  const measure = async (name: string, of = steno) => {
    const line = (await of.readMetrics()).split('\n').find((text) => text.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length + 1));
  };

  test('/healthz and /readyz answer without a key', async () => {
    expect((await get('/healthz')).json()).toEqual({ status: 'ok', version });
    const ready = await get('/readyz');
    expect([ready.statusCode, ready.json()]).toEqual([
      200,
      {
        status: 'ready',
        database: 'ok',
        speech: 'ready',
        audio: 'ok',
        search: 'ok',
        recordings: { in_queue: 0, oldest_seconds: 0 },
      },
    ]);
  });

  test('metrics count requests by route and status, with their time', async () => {
    const { key } = await steno.person();
    const count = (method: string, route: string, status: number) =>
      measure(
        `steno_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`,
      );
    const counts = async () => [
      Number((await count('GET', '/api/v1/notes/:id', 404)) ?? 0),
      Number((await count('POST', '/api/v1/notes/create', 201)) ?? 0),
      Number((await count('GET', 'unknown', 404)) ?? 0),
    ];
    const before = await counts();
    for (let call = 0; call < 3; call += 1) await steno.call('GET', `/notes/x${call}`, { key });
    await steno.call('POST', '/notes/create', { key, body: { content: 'x' } });
    await steno.call('GET', '/nowhere');
    expect((await counts()).map((value, at) => value - (before[at] ?? 0))).toEqual([3, 1, 1]);
    const time = `steno_http_request_duration_seconds_sum{method="POST",route="/api/v1/notes/create",status="201"}`;
    expect(await measure(time)).toBeGreaterThan(0);
    expect(await steno.readMetrics()).not.toContain('/notes/x0');
  });

  test('metrics count refusals of the limiter and failed sign-ins, each for itself', async () => {
    const { key } = await steno.person({ plan: 'free' });
    const before = [
      await measure('steno_rate_limited_total'),
      await measure('steno_failed_authentications_total'),
    ];
    const answers = [];
    // More than two minutes allow, so that some are refused wherever the minute ends.
    for (let call = 0; call < 70; call += 1) answers.push((await steno.call('GET', '/me', { key })).status);
    await steno.call('GET', '/me', { key: 'wrong' });
    await steno.call('GET', '/me');
    const after = [
      await measure('steno_rate_limited_total'),
      await measure('steno_failed_authentications_total'),
    ];
    const refused = answers.filter((status) => status === 429).length;
    expect(refused).toBeGreaterThan(0);
    expect(after.map((value, index) => Number(value) - Number(before[index]))).toEqual([refused, 2]);
  });

  test('metrics show the time of database writes and what the process uses', async () => {
    const { key } = await steno.person();
    const before = Number(await measure('steno_database_write_duration_seconds_count'));
    await steno.call('POST', '/notes/create', { key, body: { content: 'x' } });
    expect(
      Number(await measure('steno_database_write_duration_seconds_count')) - before,
    ).toBeGreaterThanOrEqual(1);
    expect(await measure('steno_database_write_duration_seconds_sum')).toBeGreaterThan(0);
    expect(await measure('process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  test('an audio store that is away is told, and the server stays in', async () => {
    const away = await startSteno({
      databaseKind,
      config: { recordings: { ...steno.config.recordings, url: 's3://k:s@127.0.0.1:1/steno?tls=no' } },
    });
    onTestFinished(() => away.close());
    const ready = await get('/readyz', away);
    expect([ready.statusCode, ready.json()]).toMatchObject([
      200,
      { status: 'degraded', audio: 'does not answer', reason: 'The audio of recordings cannot be reached.' },
    ]);
  });

  test('notes that are not indexed yet are told, and the server stays in', async () => {
    const { key } = await steno.person();
    const { id } = (await steno.call('POST', '/notes/create', { key, body: { content: 'x' } })).body.data;
    const ofNote = steno.database.db.selectFrom('notes').select('seq').where('id', '=', id);
    await steno.database.write((db) =>
      db.insertInto('search_pending').columns(['seq']).expression(ofNote).execute(),
    );
    const ready = await get('/readyz', steno);
    expect([ready.statusCode, ready.json()]).toMatchObject([200, { status: 'ready', search: 'incomplete' }]);
    await steno.database.write((db) => db.deleteFrom('search_pending').execute());
    expect((await get('/readyz', steno)).json().search).toBe('ok');
  });

  test('without its database the server is alive, not ready, and counts its faults', async () => {
    const broken = await startSteno({ databaseKind });
    // Its database is closed already.
    onTestFinished(() => broken.close().catch(() => {}));
    const { key } = await broken.person();
    const before = Number(await measure('steno_faults_total', broken));
    await broken.database.close();
    expect((await get('/healthz', broken)).statusCode).toBe(200);
    const ready = await get('/readyz', broken);
    expect([ready.statusCode, ready.json().status]).toEqual([503, 'not ready']);
    await broken.call('GET', '/notes/list', { key });
    expect(Number(await measure('steno_faults_total', broken)) - before).toBe(1);
  });
});

describe('the description of the API', () => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  test('openapi.json is what the routes say', async () => {
    const database = await emptyDatabase('sqlite');
    const described = await compose(database.config, { log: silentLog, describe: true });
    await described.app.ready();
    const document = JSON.stringify(described.app.swagger(), null, 2);
    await described.close();
    await database.dispose();
    expect(readFileSync(openapiFile, 'utf8').trimEnd(), 'stale: run "npm run openapi"').toBe(document);
  });

  test('an operation lists each status with the codes it can have there', () => {
    const { paths, components } = JSON.parse(readFileSync(openapiFile, 'utf8'));
    const errors: Record<string, string> = {};
    for (const [status, { $ref }] of Object.entries<{ $ref?: string }>(
      paths['/api/v1/transcribe'].post.responses,
    ))
      if ($ref) errors[status] = components.responses[$ref.split('/').at(-1) ?? ''].description;
    expect(errors).toEqual({
      400: '`validation_error`',
      401: '`invalid_api_key`',
      403: '`forbidden` or `plan_required`',
      409: '`conflict` or `concurrency_limit`',
      413: '`payload_too_large`',
      429: '`rate_limited` or `quota_exceeded`',
      500: '`internal_error`',
      503: '`service_unavailable`',
    });
  });

  test('it is served as it is committed, to other origins too', async () => {
    const answer = await steno.call('GET', '/openapi.json', { headers: { origin: 'https://app.example' } });
    expect([answer.status, answer.text]).toEqual([200, readFileSync(openapiFile, 'utf8')]);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'access-control-allow-origin': '*',
    });
    expect(answer.body.openapi).toBe('3.1.0');
  });

  test('it is compressed, and not sent again to a client that has it', async () => {
    const url = '/api/v1/openapi.json';
    const first = await steno.app.inject({ url, headers: { 'accept-encoding': 'gzip' } });
    expect(first.headers).toMatchObject({ 'content-encoding': 'gzip', 'cache-control': 'no-cache' });
    expect(first.rawPayload.length).toBeLessThan(readFileSync(openapiFile).length / 5);
    const known = { 'if-none-match': String(first.headers.etag) };
    const again = await steno.app.inject({ url, headers: known });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect((await steno.app.inject({ url, headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
    const head = await steno.app.inject({ method: 'HEAD', url });
    expect([head.statusCode, head.headers.etag]).toEqual([200, first.headers.etag]);
  });

  test('/docs and all it loads come from this server and name no other', async () => {
    const page = await steno.app.inject('/docs');
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';");
    expect(page.body).not.toMatch(/https?:\/\/|src="\/\//);
    const loaded = [...page.body.matchAll(/(?:src|href)="(\/.+?)"/g)].map(([, url]) => url ?? '');
    expect(loaded.length).toBeGreaterThanOrEqual(3);
    const types: Record<string, RegExp> = { css: /^text\/css/, js: /javascript/, svg: /^image\/svg/ };
    for (const url of loaded) {
      const asset = await steno.app.inject(url);
      expect([url, asset.statusCode]).toEqual([url, 200]);
      expect(asset.headers['content-type']).toMatch(types[url.split('.').at(-1) ?? ''] ?? /^$/);
      expect(asset.body.length).toBeGreaterThan(50);
    }
  });

  test('a browser gets the page of the console, with 404 where it has none; a program gets JSON', async () => {
    const html = 'text/html,*/*';
    const asking = async (method: 'GET' | 'HEAD' | 'POST', url: string, headers: Record<string, string>) => {
      const answer = await steno.app.inject({ method, url, headers });
      const { 'content-type': type, 'cache-control': cache } = answer.headers;
      return [answer.statusCode, String(type).split(';')[0], cache];
    };
    const page = 'text/html';
    for (const method of ['GET', 'HEAD'] as const)
      for (const url of ['/notes/1', '/operator/people?query=a', '/sign-in'])
        expect(await asking(method, url, { accept: html })).toEqual([200, page, 'no-cache']);
    expect(await asking('GET', '/', {})).toEqual([200, page, 'no-cache']);
    expect(await asking('GET', '/nowhere', { accept: html })).toEqual([404, page, 'no-cache']);
    const json = [404, 'application/json', 'no-store'];
    expect(await asking('GET', '/notes/1', { accept: 'application/json' })).toEqual(json);
    expect(await asking('GET', '/notes/1', {})).toEqual(json);
    expect(await asking('POST', '/notes/1', { accept: html })).toEqual(json);
    for (const url of ['/api/nowhere', '/v1/nowhere', '/assets/nope.js'])
      expect(await asking('GET', url, { accept: html })).toEqual(json);
    const { user } = await steno.person();
    const { cookie } = await steno.signIn(user);
    // With their notes in it.
    expect(await asking('GET', '/notes', { accept: html, cookie })).toEqual([200, page, 'private, no-store']);
  });

  test.each([
    '/docs/assets/nope.js',
    '/docs/assets/../package.json',
    '/docs/assets/%2e%2e/package.json',
    '/api/nowhere',
  ])('%s is 404 in the envelope', async (url) => {
    const answer = await steno.app.inject(url);
    expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'not_found']);
  });
});
