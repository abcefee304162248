import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stoppedClock } from '../support/clock.ts';
import { capturedLog } from '../support/log.ts';
import { fill, operations } from '../support/operations.ts';
import { type Answer, anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const unknownId = '0198c0de-0000-7000-8000-000000000000';
const json = { 'content-type': 'application/json' };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const oneMiB = 1_048_576;

function expectError(answer: Answer, status: number, code: string): void {
  expect([answer.status, answer.body]).toEqual([
    status,
    { error: { code, message: expect.stringMatching(/\S/) } },
  ]);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['x-request-id']).toMatch(/\S/);
  expect(answer.headers['access-control-allow-origin']).toBe('*');
}

describe('every answer is in the envelope', () => {
  let steno: TestSteno;
  let key: string;
  let reader: string;
  let teamKey: string;
  beforeAll(async () => {
    // Requests are counted by the minute, which must not end between two of them.
    steno = await startSteno({ clock: stoppedClock(Date.now()) });
    ({ key } = await steno.person());
    ({ key: reader } = await steno.person({ scopes: ['notes:read'] }));
    ({ key: teamKey } = await steno.team());
  });
  afterAll(() => steno.close());

  test.each([
    '/',
    '/nope',
    '/notes',
    '/notes/list/',
    '/Notes/list',
    '/me/x',
    `/notes/${unknownId}/x`,
    '/notes//list',
    '',
  ])('a path that is not there is 404, whatever else is wrong: %s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'PATCH', 'PUT']) {
      expectError(await steno.call(method, `/api/v1${path}`), 404, 'not_found');
      const broken = { headers: { 'content-type': 'text/plain' }, body: '{' };
      expectError(await steno.call(method, `/api/v1${path}`, broken), 404, 'not_found');
    }
  });

  test.each([
    ['DELETE', '/notes/list', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/notes/list', 'GET, HEAD, OPTIONS'],
    ['GET', '/notes/create', 'POST, OPTIONS'],
    ['DELETE', '/notes/create', 'POST, OPTIONS'],
    ['PATCH', '/notes/search', 'POST, OPTIONS'],
    ['PUT', `/notes/${unknownId}`, 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['POST', '/notes/x', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['POST', `/notes/${unknownId}/transcript`, 'GET, HEAD, OPTIONS'],
    ['POST', '/me', 'GET, HEAD, OPTIONS'],
    ['PUT', '/folders/list', 'GET, HEAD, OPTIONS'],
    ['TRACE', '/me', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/notes/list?limit=1', 'GET, HEAD, OPTIONS'],
  ])('%s %s is 405 and says what is allowed, whatever else is wrong', async (method, path, allow) => {
    const broken = { headers: { 'content-type': 'text/plain' }, body: '{' };
    for (const options of [{}, { key }, { key: 'wrong' }, broken]) {
      const answer = await steno.call(method, path, options);
      expectError(answer, 405, 'method_not_allowed');
      expect(String(answer.headers.allow).split(', ').sort()).toEqual(allow.split(', ').sort());
    }
  });

  test('HEAD on a path without GET is 405 without a body', async () => {
    const answer = await steno.call('HEAD', '/notes/create', { key });
    expect([answer.status, answer.text]).toEqual([405, '']);
  });

  test('the first of several failures wins, in the order of the contract', async () => {
    const free = await steno.person({ plan: 'free', scopes: ['notes:read'] });
    for (let spent = 0; spent < 30; spent += 5)
      await steno.call('POST', '/notes/search', { key: free.key, body: { query: 'x' } });
    const tooLarge = { headers: json, body: `"${'x'.repeat(oneMiB)}"` };
    const bad = { headers: json, body: '{' };
    const steps: [string, string, object, number, string][] = [
      ['POST', '/nope', { key: 'wrong', ...tooLarge }, 404, 'not_found'],
      ['POST', '/notes/list', { key: 'wrong', ...tooLarge }, 405, 'method_not_allowed'],
      ['POST', '/notes/create', { key: 'wrong', ...tooLarge }, 401, 'invalid_api_key'],
      ['POST', '/notes/create', { key: free.key, ...tooLarge }, 429, 'rate_limited'],
      ['POST', '/notes/create', { key: reader, ...tooLarge }, 403, 'forbidden'],
      ['GET', '/spaces/list?x=%00', { key }, 403, 'forbidden'],
      ['POST', '/notes/create', { key, ...tooLarge }, 413, 'payload_too_large'],
      ['PATCH', `/notes/${unknownId}`, { key, ...bad }, 400, 'validation_error'],
      ['PATCH', `/notes/${unknownId}`, { key, body: { title: 5 } }, 400, 'validation_error'],
      ['GET', `/notes/list?space_id=${unknownId}&limit=0`, { key: teamKey }, 400, 'validation_error'],
      ['GET', `/notes/list?space_id=${unknownId}`, { key: teamKey }, 404, 'not_found'],
      ['PATCH', `/notes/${unknownId}`, { key, body: {} }, 404, 'not_found'],
    ];
    for (const [method, path, options, status, code] of steps)
      expectError(await steno.call(method, path, options), status, code);
  });

  const surrogate = '{"content":"\\ud800"}';
  test.each<[string, string | Buffer, Record<string, string>]>([
    ['broken JSON', '{"content":', json],
    ['two JSON values', '{"content":"x"} {"content":"y"}', json],
    ['no JSON at all', 'content=x', json],
    ['an empty body', '', json],
    ['no type', '{"content":"x"}', { 'content-type': '' }],
    ['a form', 'content=x', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['text', '{"content":"x"}', { 'content-type': 'text/plain' }],
    ['a type that is none', '{"content":"x"}', { 'content-type': 'json' }],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0x63, 0xff, 0x22, 0x7d]), json],
    ['a lone surrogate', surrogate, json],
    ['a surrogate in a name', '{"content":"x","\\udfff":1}', json],
    ['U+0000', '{"content":"a\\u0000b"}', json],
    ['U+0000 in a member nobody reads', '{"content":"x","other":{"deep":["\\u0000"]}}', json],
    [
      'U+0000 half a million levels deep',
      `{"content":"x","a":${'['.repeat(400_000)}"\\u0000"${']'.repeat(400_000)}}`,
      json,
    ],
    ['101 levels deep', `{"content":"x","a":${'['.repeat(100)}${']'.repeat(100)}}`, json],
    ['100,000 brackets that never close', '['.repeat(100_000), json],
  ])('a body that is %s is 400', async (_name, body, headers) => {
    expectError(await steno.call('POST', '/notes/create', { key, body, headers }), 400, 'validation_error');
  });

  test.each<[string, string, Record<string, string>]>([
    ['begins with a byte order mark', '\ufeff{"content":"x"}', json],
    ['is a merge patch', '{"content":"x"}', { 'content-type': 'application/merge-patch+json' }],
    ['has no type', '{"content":"x"}', {}],
  ])('a body that %s is read', async (_name, body, headers) => {
    const payload = Buffer.from(body);
    expect((await steno.call('POST', '/notes/create', { key, body: payload, headers })).status).toBe(201);
  });

  test('a refusal names the field in a header, and where to read on', async () => {
    const { headers } = await steno.call('GET', '/notes/list?limit=0', { key });
    expect(headers).toMatchObject({ 'x-error-param': 'limit', link: '</docs>; rel="help"' });
    const nested = await steno.call('POST', '/notes/create', {
      key,
      body: { content: 'x', edit: { seq: 1 } },
    });
    expect(nested.headers['x-error-param']).toBe('edit.session');
    const none = await steno.call('GET', `/notes/${unknownId}`, { key });
    expect(none.headers).not.toHaveProperty('x-error-param');
  });

  test('100 levels, and brackets in text, are read', async () => {
    const content = `"[${'[{'.repeat(200)}\\`;
    const body = `${JSON.stringify({ content }).slice(0, -1)},"a":${'['.repeat(99)}${']'.repeat(99)}}`;
    expect((await steno.call('POST', '/notes/create', { key, body, headers: json })).body.data.content).toBe(
      content,
    );
  });

  test.each([
    '/api/auth/email-otp/send-verification-otp',
    '/api/auth/sign-in/email-otp',
    '/api/v1/auth/email-code/verify',
  ])('who is not signed in may send 8 KiB to %s, and no deep JSON', async (url) => {
    const send = (payload: string) => steno.app.inject({ method: 'POST', url, payload, headers: json });
    expect((await send(`"${'x'.repeat(8_190)}"`)).statusCode).toBe(400);
    const tooLarge = await send(`"${'x'.repeat(8_191)}"`);
    expect([tooLarge.statusCode, tooLarge.json().error.message]).toEqual([
      413,
      'The request body must not exceed 8 KiB.',
    ]);
    expect((await send('['.repeat(8_000))).statusCode).toBe(400);
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset="UTF-8"'])(
    'a body of type %s is read',
    async (type) => {
      const options = { key, body: '{"content":"\\ud83d\\ude00"}', headers: { 'content-type': type } };
      expect((await steno.call('POST', '/notes/create', options)).body.data.content).toBe('😀');
    },
  );

  test.each([
    ['U+0000 in the query', '/notes/list?cursor=%00', 400],
    ['a surrogate in the query', '/notes/list?cursor=%ED%A0%80', 400],
    ['U+0000 in the path', '/notes/%00', 400],
    ['half an escape', '/notes/%E0%A4%A', 400],
    ['no escape', '/notes/%zz', 400],
    ['escaped invalid UTF-8', '/notes/%ff', 400],
  ])('%s is refused in the envelope', async (_name, path, status) => {
    expectError(await steno.call('GET', path, { key }), status, 'validation_error');
  });

  test.each<[string, string, string | undefined, string]>([
    ['U+0000 in a title', '/notes/create', '{"content":"x","title":"\\u0000"}', 'title'],
    ['a lone surrogate in a title', '/notes/create', '{"content":"x","title":"\\ud800"}', 'title'],
    ['U+0000 in a word', '/dictionary/create', '{"words":["a","b\\u0000"]}', 'words[1]'],
    ['U+0000 far inside', '/notes/create', '{"content":"x","a":{"b":[[],{"c":"\\u0000"}]}}', 'a.b[1].c'],
    ['a lone surrogate as the name of a field', '/notes/create', '{"a":{"\\udfff":1}}', 'a'],
    ['the whole body', '/notes/create', '"\\u0000"', 'The request body'],
    ['a cursor', '/notes/list?cursor=%00', undefined, 'cursor'],
    ['an id in the path', '/notes/%00', undefined, 'id'],
  ])('text that cannot be stored is named: %s', async (_name, path, body, field) => {
    const options = body === undefined ? { key } : { key, body, headers: json };
    const answer = await steno.call(body === undefined ? 'GET' : 'POST', path, options);
    expectError(answer, 400, 'validation_error');
    expect(answer.body.error.message).toBe(`${field} must be valid Unicode without U+0000.`);
  });

  test.each(operations.filter(({ body }) => body?.properties))(
    '$name says what each field must be',
    async ({ method, path, body }) => {
      const { token } = await steno.signIn((await steno.person()).user);
      const isOneOf = /must (be|have) (?!valid)\S/;
      for (const name of Object.keys(body?.properties ?? {})) {
        const answer = await steno.call(method, fill(path, [unknownId, unknownId]), {
          key: token,
          // A wrong row of many is refused alone, in an answer of 200.
          body: { [name]: path.endsWith('-many') ? {} : [[{}]] },
        });
        expect([400, 403]).toContain(answer.status);
        if (answer.status !== 400) continue;
        const about = String(answer.body.error.message ?? answer.body.message)
          .split('. ')
          .filter((sentence) => sentence.startsWith(name));
        expect([name, about.length > 0 && about.every((one) => isOneOf.test(one)), about]).toEqual([
          name,
          true,
          about,
        ]);
      }
    },
  );

  test.each(['', '   ', '\n', '\u200b', '\u202e'])('a blank name has one sentence: %j', async (name) => {
    const sentences = [
      ['/folders/create', { name }, 'name must contain a visible character.'],
      ['/dictionary/create', { words: [name] }, 'words[0] must contain a visible character.'],
    ] as const;
    for (const [path, body, sentence] of sentences) {
      const answer = await steno.call('POST', path, { key, body });
      expect([answer.status, answer.body.error.message]).toEqual([400, sentence]);
    }
  });

  test('a body of exactly 1 MiB passes, one byte more is 413', async () => {
    const bodyOf = (bytes: number) => `{"content":"${'x'.repeat(bytes - 14)}"}`;
    expect(
      (await steno.call('POST', '/notes/create', { key, body: bodyOf(oneMiB), headers: json })).status,
    ).toBe(201);
    const tooLarge = await steno.call('POST', '/notes/create', {
      key,
      body: bodyOf(oneMiB + 1),
      headers: json,
    });
    expectError(tooLarge, 413, 'payload_too_large');
  });

  test.each([{}, json, { 'content-length': '0' }, { ...json, 'content-length': '0' }])(
    'a call that needs no body is accepted without one, with the headers %j',
    async (headers) => {
      const { id } = (await steno.call('POST', '/notes/create', { key, body: { content: 'x' } })).body.data;
      expect((await steno.call('PATCH', `/notes/${id}`, { key, headers })).status).toBe(200);
      expect((await steno.call('DELETE', `/notes/${id}`, { key, headers })).status).toBe(204);
    },
  );

  test.each(operations.filter(({ body }) => body !== undefined))(
    '$name without a body is refused exactly where openapi.json calls it required',
    async ({ method, path, bodyRequired }) => {
      const { user } = await steno.person();
      await steno.users.setOperator(user.id, true);
      const { token } = await steno.signIn(user);
      const answer = await steno.call(method, fill(path, [unknownId, unknownId]), { key: token });
      if (bodyRequired) expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
      else expect(answer.status).not.toBe(400);
    },
  );

  test.each(['abc', 'a.b:c-d_9', 'x'.repeat(128)])('a sane X-Request-Id comes back: %s', async (id) => {
    for (const path of ['/me', '/nope', '/notes/%zz'])
      expect(
        (await steno.call('GET', path, { headers: { 'x-request-id': id } })).headers['x-request-id'],
      ).toBe(id);
  });

  test.each(['', 'x'.repeat(129), 'a b', '<script>', 'a"b', 'é', '{}'])(
    'an insane X-Request-Id does not: %s',
    async (id) => {
      const answer = await steno.call('GET', '/me', { headers: { 'x-request-id': id } });
      expect(answer.headers['x-request-id']).toMatch(uuid);
    },
  );

  test('each request without an id gets its own', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await steno.call('GET', '/me', { key })).headers['x-request-id']),
    );
    expect(new Set(ids).size).toBe(3);
  });
});

describe.each(anyDatabase)('when the database fails on %s', (databaseKind) => {
  test('the caller sees internal_error and no detail, the log has the cause', async () => {
    const { log, lines, text } = capturedLog();
    const steno = await startSteno({ databaseKind, log });
    const { key } = await steno.person();
    expect((await steno.call('GET', '/notes/list', { key })).status).toBe(200);
    await steno.database.close();
    const calls: [string, string, object][] = [
      ['GET', '/notes/list', { key }],
      ['POST', '/notes/create', { key, body: { content: 'private words' } }],
      ['GET', `/notes/${unknownId}`, { key: `owk_live_${'B'.repeat(43)}` }],
    ];
    for (const [method, path, options] of calls) {
      const answer = await steno.call(method, path, options);
      expectError(answer, 500, 'internal_error');
      expect(answer.body.error.message).toBe('Something went wrong on the server; try again in a moment.');
    }
    const faults = lines().filter((line) => line.msg === 'fault');
    expect(faults).toHaveLength(3);
    for (const { fault } of faults)
      expect(fault).toMatchObject({ name: expect.any(String), stack: expect.stringContaining('at ') });
    expect(text()).not.toContain('private words');
    await steno.close().catch(() => {});
  });
});
