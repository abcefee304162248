import { check, expect, expectAnswer, expectError, expectSame, type Part } from './check.ts';
import { NotSeen } from './client.ts';
import { dataOf, me } from './shapes.ts';

const randomPart = 'A'.repeat(43);

export const credentials: Part = {
  name: 'Credentials',
  checks: [
    check('GET /me: scopes, expires_at, user_id, plan, key', [], async ({ api }) => {
      const { body } = expectAnswer(await api.call('GET', '/me'), 200, dataOf(me));
      expectSame(body.data.key?.kind, 'personal', 'kind of the key');
    }),
    check('scopes is the expanded list, no wildcard', ['the workspace key'], async ({ workspace }) => {
      const { body } = expectAnswer(await workspace.call('GET', '/me'), 200, dataOf(me));
      expectSame(body.data.key?.kind, 'workspace', 'kind of the key');
      expect(!body.data.scopes.includes('workspace:*'), 'the wildcard is shown');
    }),
    check('Requests use the HTTP bearer scheme', [], async ({ api, baseUrl, as }) => {
      expectAnswer(await api.call('GET', '/me'), 200);
      expectError(await as('').call('GET', '/me'), 401, 'invalid_api_key');
      expect(new URL(baseUrl).username === '', 'the address holds a credential');
    }),
    check('Missing, malformed and unknown all give the same 401 invalid_api_key', [], async (target) => {
      const { anonymous, as } = target;
      const answers = [await anonymous.call('GET', '/me')];
      for (const key of [`owk_live_${randomPart}`, `ow_wks_live_${randomPart}`, `owt_${randomPart}`, 'x'])
        answers.push(await as(key).call('GET', '/me'));
      answers.push(await anonymous.call('GET', '/me', { headers: { authorization: 'Basic eDp5' } }));
      for (const answer of answers) expectError(answer, 401, 'invalid_api_key');
      expectSame(new Set(answers.map(({ text }) => text)).size, 1, 'number of different 401 bodies');
    }),
    check('An invalid key is told before anything about the resource', [], async ({ as }) => {
      const stranger = as(`owk_live_${randomPart}`);
      for (const [method, path] of [
        ['GET', '/notes/list'],
        ['POST', '/notes/search'],
        ['POST', '/transcribe'],
        ['GET', '/usage'],
        ['GET', '/keys/list'],
      ] as const)
        expectError(await stranger.call(method, path), 401, 'invalid_api_key');
    }),
    check('The key routes used with a key give 403 forbidden', [], async ({ api }) => {
      expectError(await api.call('GET', '/keys/list'), 403, 'forbidden');
      expectError(await api.call('POST', '/keys/create', { body: '{' }), 403, 'forbidden');
    }),
    check(
      'The key routes used with a workspace key give 403 forbidden',
      ['the workspace key'],
      async (target) => {
        expectError(await target.workspace.call('GET', '/keys/list'), 403, 'forbidden');
      },
    ),
    check(
      'A workspace key on a personal-only route gives 403 forbidden',
      ['the workspace key'],
      async (target) => {
        for (const [method, path] of [
          ['GET', '/snippets/list'],
          ['POST', '/snippets/create'],
          ['GET', '/dictionary/list'],
          ['POST', '/dictionary/create'],
          ['GET', '/transcriptions/list'],
          ['POST', '/transcribe'],
          ['GET', '/usage'],
        ] as const)
          expectError(await target.workspace.call(method, path), 403, 'forbidden');
      },
    ),
    check('A user session is good for every personal route', ['the session'], async ({ session }) => {
      const { body } = expectAnswer(await session.call('GET', '/me'), 200, dataOf(me));
      expectSame(body.data.key, null, 'key of a session');
      expectAnswer(await session.call('GET', '/notes/list?limit=1'), 200);
    }),
    check('Each request takes its weight from the minute window', [], async ({ api }) => {
      const remaining = async () => {
        const { headers } = await api.call('GET', '/me');
        return [Number(headers.get('x-ratelimit-remaining')), headers.get('x-ratelimit-reset')] as const;
      };
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const [[before, window], [after, sameWindow]] = [await remaining(), await remaining()];
        if (window === sameWindow && after === before - 1) return;
      }
      throw new NotSeen('the key is in use elsewhere, or its limit is spent');
    }),
  ],
  unseen: [
    { sentence: 'Only its SHA-256 hash is stored', why: 'the database is inside the server' },
    { sentence: 'Comparison must not leak by timing', why: 'a network hides such differences' },
    { sentence: 'An expired key gives 401', why: 'the shortest life of a key is a day' },
    { sentence: 'The numeric limits per plan', why: 'an operator may change them' },
    {
      sentence: 'An organization policy block gives 403',
      why: 'needs an account whose workspace has a policy',
    },
    {
      sentence: 'Failed authentication is throttled per client address',
      why: 'checking it would lock out others behind the same address',
    },
  ],
};
