import { afterEach, beforeEach, expect, test } from 'vitest';
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

beforeEach(async () => {
  receiver = await startReceiver();
  const config = { webhookNetworks: ['127.0.0.1'], databasePool: 4 };
  one = await startSteno({ databaseKind: 'postgres', clock, webhookPollMs: never, config });
  const engine = { ...one.config.engine, engine: 'fake' as const };
  other = await compose({ ...one.config, engine }, { log: silentLog, clock, webhookPollMs: never });
});
afterEach(async () => {
  await other.close();
  await one.close();
  await receiver.close();
});

test('what another server delivers takes no place of this one', async () => {
  const people = [await one.person(), await one.person()];
  for (const { key } of people) {
    const body = { url: receiver.url, events: ['note.created'] };
    for (let count = 0; count < 5; count += 1) await one.call('POST', '/webhooks', { key, body });
    await one.call('POST', '/notes/create', { key, body: { content: 'x' } });
  }
  await allCommitted(one.database);
  const [ada, eve] = people.map(({ user }) => user.id);
  const { db } = one.database;
  const holder = other.database.processId;
  await db.updateTable('webhooks').set({ holder }).where('owner_id', '=', String(ada)).execute();
  // Whoever waited longest is first.
  await db.updateTable('webhooks').set({ turn_at: '2' }).where('owner_id', '=', String(eve)).execute();
  const now = new Date(clock()).toISOString();
  const places = { free: 2, perAccount: 2, inFlight: [] };
  const taken = await one.parts.webhooks.turns.takeDue(now, places);
  expect(taken.map(({ owner_id }) => owner_id)).toEqual([eve, eve]);
  const more = await one.parts.webhooks.turns.takeDue(now, { ...places, inFlight: taken.slice(0, 1) });
  expect(more).toHaveLength(1);
  expect(await one.parts.webhooks.turns.takeDue(now, { ...places, inFlight: taken })).toEqual([]);
  expect(await other.parts.webhooks.turns.takeDue(now, places)).toHaveLength(2);
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
  const deliver = () => one.delivery.settle().then(told);
  await expect.poll(deliver).toEqual(made);
});
