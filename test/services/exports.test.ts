import { afterAll, beforeAll, expect, test } from 'vitest';
import { newUuid } from '../../src/lib/uuid.ts';
import { principalOf } from '../support/principal.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

let steno: TestSteno;
beforeAll(async () => {
  steno = await startSteno();
});
afterAll(() => steno.close());

test('one export per person and fifty in all; whoever ends gives the place back', async () => {
  const { exports } = steno;
  const people = Array.from({ length: 50 }, () => newUuid());
  const zips = await Promise.all(people.map((id) => exports.of(principalOf(id), {})));
  await expect(exports.of(principalOf(people[0] ?? ''), {})).rejects.toMatchObject({
    code: 'concurrency_limit',
  });
  const late = principalOf(newUuid());
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
