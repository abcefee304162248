import {
  check,
  expect,
  expectAnswer,
  expectError,
  expectInvalid,
  expectSame,
  nobody,
  type Part,
  type Target,
} from './check.ts';
import { NotSeen } from './client.ts';
import { exactly, listOf, record, text } from './rules.ts';
import { dataOf, keyRecord, newKey } from './shapes.ts';

const needs = ['the session'] as const;
const maxActive = 5;
/** More calls than this would be impolite. */
const mostCallsToFill = 300;

async function createKey({ session, later }: Target, fields: object = {}) {
  const answer = await session.call('POST', '/keys/create', { body: { name: 'Conformance', ...fields } });
  if (answer.body?.error?.code === 'limit_reached') throw new NotSeen('this person has five keys already');
  const { data } = expectAnswer(answer, 201, dataOf(newKey)).body;
  const revoke = () => session.call('POST', `/keys/${data.id}/revoke`);
  later(revoke);
  return { ...data, revoke };
}

/** A key that goes as soon as the work is done, so that five are never reached by accident. */
async function withKey(target: Target, fields: object, work: (key: string) => Promise<void>): Promise<void> {
  const { key, revoke } = await createKey(target, fields);
  try {
    await work(key);
  } finally {
    await revoke();
  }
}

export const keys: Part = {
  name: 'Keys',
  checks: [
    check('POST /keys/create: 201, record and key; the key is shown this once', needs, async (target) => {
      const made = await createKey(target);
      expect(/^owk_live_[\w-]{43}$/.test(made.key), 'not owk_live_ and base64url of 32 bytes');
      expectSame(made.key_prefix, made.key.slice(0, 16), 'key_prefix');
      const defaults = ['notes:read', 'notes:write', 'transcriptions:read', 'usage:read'];
      expectSame(made.scopes.toSorted(), defaults, 'the scopes by default');
      expectSame(made.expires_at, null, 'expires_at');
      const { text: listed } = await target.session.call('GET', '/keys/list');
      expect(!listed.includes(made.key), 'the list shows the key');
      await made.revoke();
    }),
    check('A key may have an optional expiration date', needs, async (target) => {
      const { expires_at, created_at, revoke } = await createKey(target, { expires_in_days: 1 });
      expectSame(Date.parse(expires_at) - Date.parse(created_at), 86_400_000, 'life of the key');
      await revoke();
    }),
    check(
      'name 1-100; empty array or unknown scope: 400; expires_in_days at least 1',
      needs,
      async ({ session }) => {
        const names = ['', 'x'.repeat(101), 7].map((name) => ({ name }));
        const scopes = [[], ['notes:everything'], 'notes:read'].map((scopes) => ({ name: 'x', scopes }));
        const days = [0, -1, 1.5, 'one'].map((expires_in_days) => ({ name: 'x', expires_in_days }));
        await expectInvalid(session, 'POST', '/keys/create', [{}, ...names, ...scopes, ...days]);
      },
    ),
    check('GET /keys/list: active keys only', needs, async (target) => {
      const { id, revoke } = await createKey(target);
      const list = async () => {
        const shape = dataOf(record({ keys: listOf(keyRecord) }));
        const { body } = expectAnswer(await target.session.call('GET', '/keys/list'), 200, shape);
        return body.data.keys.some((key: { id: string }) => key.id === id);
      };
      expectSame(await list(), true, 'a new key in the list');
      await revoke();
      expectSame(await list(), false, 'a revoked key in the list');
    }),
    check('POST /keys/{id}/revoke: 200; again the same; it stops working at once', needs, async (target) => {
      const { key, revoke } = await createKey(target);
      expectAnswer(await target.as(key).call('GET', '/me'), 200);
      const shape = record({ data: record({ revoked: exactly(true) }), message: text });
      for (let time = 0; time < 2; time += 1) expectAnswer(await revoke(), 200, shape);
      expectError(await target.as(key).call('GET', '/me'), 401, 'invalid_api_key');
      expectError(await target.session.call('POST', `/keys/${nobody}/revoke`), 404, 'not_found');
    }),
    check('A missing scope gives 403 forbidden, and the message says which', needs, async (target) => {
      const calls = [
        ['POST', '/notes/create', 'notes:write'],
        ['GET', '/notes/list', 'notes:read'],
        ['POST', '/folders/create', 'notes:write'],
        ['GET', '/transcriptions/list', 'transcriptions:read'],
        ['GET', `/transcriptions/${nobody}`, 'transcriptions:read'],
        ['DELETE', `/transcriptions/${nobody}`, 'transcriptions:delete'],
        ['POST', '/transcribe', 'transcriptions:write'],
        ['GET', '/usage', 'usage:read'],
        ['GET', '/dictionary/list', 'dictionary:read'],
        ['PATCH', `/dictionary/${nobody}`, 'dictionary:write'],
        ['GET', '/snippets/list', 'snippets:read'],
        ['POST', '/snippets/create', 'snippets:write'],
      ] as const;
      const refuse = async (key: string, has: string) => {
        for (const [method, path, scope] of calls) {
          if (scope === has) continue;
          const answer = expectError(await target.as(key).call(method, path), 403, 'forbidden');
          expect(
            answer.body.error.message.includes(scope),
            `"${answer.body.error.message}" does not name ${scope}`,
          );
        }
      };
      await withKey(target, { scopes: ['snippets:write'] }, (key) => refuse(key, 'snippets:write'));
      await withKey(target, { scopes: ['usage:read'] }, async (key) => {
        expectError(await target.as(key).call('POST', '/snippets/create'), 403, 'forbidden');
      });
    }),
    check('A sixth active key: 400 limit_reached', needs, async (target) => {
      const { body } = await target.session.call('GET', '/keys/list');
      const made: { revoke(): Promise<unknown> }[] = [];
      for (let count = body.data.keys.length; count < maxActive; count += 1)
        made.push(await createKey(target));
      const sixth = await target.session.call('POST', '/keys/create', { body: { name: 'Conformance' } });
      for (const { revoke } of made) await revoke();
      expectError(sixth, 400, 'limit_reached');
    }),
    check(
      'A call that does not fit is 429 rate_limited and charges nothing; search weighs 5',
      needs,
      async (target) => {
        await withKey(target, { scopes: ['notes:read'] }, async (key) => {
          const client = target.as(key);
          const search = () => client.call('POST', '/notes/search', { body: {}, waits: false });
          let left = Number((await client.call('GET', '/me')).headers.get('x-ratelimit-remaining'));
          if (left / 5 > mostCallsToFill)
            throw new NotSeen(`the limit of ${left + 1} is too high to try politely`);
          for (let calls = 0; calls < 3 * mostCallsToFill; calls += 1) {
            const answer = await search();
            const now = Number(answer.headers.get('x-ratelimit-remaining'));
            if (answer.status === 429) {
              expectError(answer, 429, 'rate_limited');
              expect(
                left < 5 && now === left,
                `${left} were left, then ${now}: the refused call was charged`,
              );
              return;
            }
            expect(now === left - 5 || now > left, `the call took ${left - now}, not 5`);
            left = now;
          }
          throw new Error('the limit was never reached');
        });
      },
    ),
  ],
  unseen: [
    { sentence: 'Expired keys do not count', why: 'the shortest life of a key is a day' },
    {
      sentence: 'last_used_at may lag by up to a minute',
      why: 'it would take a minute and shows nothing but that',
    },
    { sentence: 'at once on every replica', why: 'one address shows one server' },
  ],
};
