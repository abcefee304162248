import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Principal } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

let steno: TestSteno;
beforeAll(async () => {
  steno = await startSteno();
});
afterAll(() => steno.close());

const principal = (userId: string): Principal => ({
  kind: 'personal',
  userId,
  plan: 'business',
  scopes: personalScopes,
  blockedBy: [],
  expiresAt: null,
  limitKey: userId,
  allowedAddresses: null,
  key: { id: userId, name: 'test' },
});

test('one export per person and fifty in all; whoever ends gives the place back', async () => {
  const { exports } = steno;
  const people = Array.from({ length: 50 }, () => newUuid());
  const zips = await Promise.all(people.map((id) => exports.of(principal(id), {})));
  await expect(exports.of(principal(people[0] ?? ''), {})).rejects.toMatchObject({
    code: 'concurrency_limit',
  });
  const late = principal(newUuid());
  await expect(exports.of(late, {})).rejects.toMatchObject({
    code: 'service_unavailable',
    retryAfterSeconds: 60,
  });
  const [first, ...others] = zips;
  const closed = new Promise((resolve) => first?.once('close', resolve));
  first?.destroy();
  await closed;
  others.push(await exports.of(late, {}));
  for (const zip of others) zip.destroy();
});
