import {
  check,
  expect,
  expectAnswer,
  expectError,
  expectInvalid,
  expectSame,
  invalid,
  type Part,
} from './check.ts';

const origin = 'https://page.example';

export const ground: Part = {
  name: 'Ground rules',
  checks: [
    check('The version is part of the base path: /api/v1', [], async ({ baseUrl }) => {
      expect(new URL(baseUrl).pathname === '/api/v1', `${baseUrl} does not end in /api/v1 at the root`);
    }),
    check('Unknown paths answer 404 not_found in the error envelope', [], async ({ anonymous }) => {
      for (const path of ['/nothing-here', '/notes', '/notes/a/b/c'])
        expectError(await anonymous.call('GET', path), 404, 'not_found');
    }),
    check('405 method_not_allowed carries Allow', [], async ({ anonymous }) => {
      for (const [method, path, allowed] of [
        ['PUT', '/notes/list', 'GET'],
        ['GET', '/notes/create', 'POST'],
        ['DELETE', '/notes/list', 'GET'],
        ['PATCH', '/transcribe', 'POST'],
      ] as const) {
        const { headers } = expectError(await anonymous.call(method, path), 405, 'method_not_allowed');
        const allow = headers.get('allow')?.split(', ') ?? [];
        expect(allow.includes(allowed), `${method} ${path}: Allow is ${allow}, should name ${allowed}`);
      }
    }),
    check('HEAD works where GET does', ['notes:read'], async ({ api }) => {
      const { text, headers } = expectAnswer(await api.call('HEAD', '/notes/list'), 200);
      expectSame(text, '', 'body of HEAD');
      expect(headers.get('content-type')?.startsWith('application/json') === true, 'HEAD has no JSON type');
    }),
    check('OPTIONS answers CORS preflight', [], async ({ anonymous }) => {
      const answer = await anonymous.call('OPTIONS', '/notes/create', {
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      });
      expect(answer.status === 200 || answer.status === 204, `OPTIONS answered ${answer.status}`);
      const { headers } = answer;
      const named = (field: string) => (headers.get(field) ?? '').toLowerCase();
      expect(named('access-control-allow-methods').includes('post'), 'POST is not allowed');
      expect(named('access-control-allow-headers').includes('authorization'), 'Authorization is not allowed');
    }),
    check('CORS is on, no credentials; the limit headers are exposed', [], async ({ api }) => {
      const { headers } = await api.call('GET', '/me', { headers: { origin } });
      const allowed = headers.get('access-control-allow-origin');
      expect(allowed === '*' || allowed === origin, `Access-Control-Allow-Origin is ${allowed}`);
      expectSame(headers.get('access-control-allow-credentials'), null, 'Access-Control-Allow-Credentials');
      const exposed = (headers.get('access-control-expose-headers') ?? '').toLowerCase();
      for (const field of ['retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
        expect(exposed.includes(field), `${field} is not exposed`);
    }),
    check('X-Request-Id echoes a sane incoming one', [], async ({ anonymous }) => {
      const id = 'conformance.1:2-3';
      const { headers } = await anonymous.call('GET', '/me', { headers: { 'x-request-id': id } });
      expectSame(headers.get('x-request-id'), id, 'X-Request-Id');
      const odd = await anonymous.call('GET', '/me', { headers: { 'x-request-id': 'a b"c<d>' } });
      expect(odd.headers.get('x-request-id') !== 'a b"c<d>', 'an odd X-Request-Id was echoed');
    }),
    check('Broken JSON is 400 validation_error', ['notes:write'], async ({ api }) => {
      await expectInvalid(api, 'POST', '/notes/create', ['{', '{"content":"x"', '', '[1', 'x', '\u00ff']);
      await expectInvalid(
        api,
        'POST',
        '/notes/create',
        [null, [], 'text', 7, true].map((v) => JSON.stringify(v)),
      );
      invalid(await api.call('POST', '/notes/create', { body: new Uint8Array([0x22, 0xff, 0x22]) }));
    }),
    check('JSON body limit 1 MiB: 413 payload_too_large', ['notes:write'], async ({ api }) => {
      const body = { content: 'x'.repeat(1_048_577) };
      expectError(await api.call('POST', '/notes/create', { body }), 413, 'payload_too_large');
    }),
    check('Strings must be valid Unicode; NUL is refused with 400', ['notes:write'], async ({ api }) => {
      const bodies = [
        '{"content":"a\\u0000b"}',
        '{"content":"a\\ud800b"}',
        '{"content":"x","title":"\\udc00"}',
      ];
      await expectInvalid(api, 'POST', '/notes/create', bodies);
    }),
    check('A path id that is no UUID is 404 not_found on that resource', [], async ({ api, scopes }) => {
      for (const [scope, method, path] of [
        ['notes:read', 'GET', '/notes/7'],
        ['notes:write', 'DELETE', '/notes/not-a-uuid'],
        ['transcriptions:read', 'GET', '/transcriptions/x'],
        ['dictionary:write', 'DELETE', '/dictionary/x'],
        ['snippets:write', 'DELETE', '/snippets/x'],
      ] as const)
        if (scopes.has(scope)) expectError(await api.call(method, path), 404, 'not_found');
    }),
    check('Order: route (404), method (405), credential (401), then the body (400)', [], async (target) => {
      const { anonymous } = target;
      expectError(await anonymous.call('POST', '/nothing', { body: '{' }), 404, 'not_found');
      expectError(await anonymous.call('PUT', '/notes/create', { body: '{' }), 405, 'method_not_allowed');
      expectError(await anonymous.call('POST', '/notes/create', { body: '{' }), 401, 'invalid_api_key');
    }),
  ],
  unseen: [
    { sentence: 'Long recordings are handled by the command-line tool', why: 'it is outside this API' },
    {
      sentence: 'The same keys authenticate a separate tool server',
      why: 'its behaviour is outside the document',
    },
    { sentence: 'Keys are created in the desktop app', why: 'a program, not a part of the server' },
    { sentence: 'Events, webhooks and notifications: not shown', why: 'the document promises nothing' },
    { sentence: 'Deprecation policy: not shown', why: 'the document promises nothing' },
    { sentence: 'The API description is version 1.0.0', why: 'no route of the document shows it' },
    { sentence: '500 internal_error is a server fault', why: 'a caller must not be able to cause one' },
  ],
};
