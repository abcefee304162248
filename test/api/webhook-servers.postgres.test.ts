import { afterAll, beforeAll, expect, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { stoppedClock } from '../support/clock.ts';
import { allCommitted } from '../support/horizon.ts';
import { startReceiver } from '../support/receiver.ts';
import { silentLog, startSteno, type TestSteno } from '../support/steno.ts';

const clock = stoppedClock(Date.parse('2026-05-01T12:00:00.000Z'));
const never = 2 ** 31 - 1;
let one: TestSteno;
let other: Awaited<ReturnType<typeof compose>>;
let receiver: Awaited<ReturnType<typeof startReceiver>>;

beforeAll(async () => {
  receiver = await startReceiver();
  const config = { webhookNetworks: ['127.0.0.1'], databasePool: 4 };
  one = await startSteno({ databaseKind: 'postgres', clock, webhookPollMs: never, config });
  const engine = { ...one.config.engine, engine: 'fake' as const };
  other = await compose({ ...one.config, engine }, { log: silentLog, clock, webhookPollMs: never });
});
afterAll(async () => {
  await one.close();
  await receiver.close();
});

test('of several servers one delivers a webhook; when it stops, another goes on', async () => {
  const { key } = await one.person();
  const post = async (path: string, body: object) =>
    (await one.call('POST', path, { key, body })).body.data.id as string;
  await post('/webhooks', { url: receiver.url, events: ['note.created'] });
  const made: string[] = [];
  const told = () => receiver.received.map(({ body }) => body.data.id);
  for (let round = 0; round < 20; round += 1) {
    made.push(await post('/notes/create', { content: 'x' }));
    await allCommitted(one.database);
    await Promise.all([other.delivery.settle(), one.delivery.settle()]);
  }
  expect(told()).toEqual(made);
  const holders = () => one.database.db.selectFrom('webhooks').select('holder').execute();
  const [before] = await holders();
  expect([one.database.processId, other.database.processId]).toContain(before?.holder);
  // Whoever holds it is no longer there, whether it could say so or not.
  await one.database.db.updateTable('webhooks').set({ holder: other.database.processId }).execute();
  made.push(await post('/notes/create', { content: 'y' }));
  await allCommitted(one.database);
  await one.delivery.settle();
  expect(told()).toEqual(made.slice(0, -1));
  await other.close();
  await one.database.db.updateTable('webhooks').set({ holder: other.database.processId }).execute();
  await one.delivery.settle();
  expect(told()).toEqual(made);
});
