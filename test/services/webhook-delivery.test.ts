import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { newWebhookSecret } from '../../src/domain/webhook.ts';
import { attempted, createWebhookDelivery } from '../../src/engines/webhooks/delivery.ts';
import type { WebhookSender } from '../../src/engines/webhooks/sender.ts';
import type { WebhookTurns } from '../../src/engines/webhooks/turns.ts';
import { updateNote } from '../../src/features/notes/operations.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { act } from '../support/act.ts';
import { at, insertNote, userRow } from '../support/rows.ts';
import { silentLog } from '../support/steno.ts';
import { openStore, type TestStore } from '../support/store.ts';
import { webhooksIn } from '../support/webhooks.ts';

type Outcome = Awaited<ReturnType<WebhookSender['send']>>;

test.each([
  [199, false],
  [200, true],
  [204, true],
  [299, true],
  [300, false],
  [500, false],
])('an answer with status %i: accepted is %s', (status, isAccepted) => {
  const begun = { id: 'msg', event: 'note.created' as const, resource_id: 'note', at: at(0) };
  expect(attempted(begun, 2, { status, head: 'head', headers: {} }, at(1))).toMatchObject({
    ...begun,
    attempts: 3,
    delivered_at: isAccepted ? at(1) : null,
    last_attempt_at: at(1),
    response_status: status,
    response_head: 'head',
    error: isAccepted ? null : expect.stringContaining(`${status}`),
  });
});

test('no answer is told as it is', () => {
  const begun = { id: 'msg', event: 'note.created' as const, resource_id: 'note', at: at(0) };
  expect(attempted(begun, 0, { error: 'timed out', headers: {} }, at(1))).toMatchObject({
    attempts: 1,
    delivered_at: null,
    response_status: null,
    response_head: null,
    error: 'timed out',
  });
});

let steno: TestStore;
let now = Date.now();
/** Requests that have no answer yet. */
let held: ((outcome: Outcome) => void)[];
let closed: number;
beforeAll(async () => {
  steno = await openStore('sqlite');
});
beforeEach(() => {
  [held, closed] = [[], 0];
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await steno.database.write((trx) => trx.deleteFrom('webhooks').execute());
});
afterAll(() => steno.close());

const sender: WebhookSender = {
  findFault: async () => null,
  send: () => new Promise((resolve) => held.push(resolve)),
  /** As the real one does, it ends what runs. */
  close() {
    closed += 1;
    for (const end of held) end({ error: 'cut off' });
  },
};
const delivering = () =>
  createWebhookDelivery({
    turns: steno.parts.webhooks.turns,
    sender,
    clock: () => now,
    log: silentLog,
    pollMs: 1_000,
  });

/** Somebody with a webhook for so many new notes. */
async function hooked(notes: number): Promise<string> {
  now += 60_000;
  const user = userRow();
  await steno.store.users.insert(user);
  const time = new Date(now).toISOString();
  const id = newUuid();
  await webhooksIn(steno).insert(
    {
      id,
      owner_id: user.id,
      account_id: user.id,
      key_id: null,
      space_id: null,
      workspace_id: null,
      url: 'https://example.org/',
      events: ['note.created'],
      secret: newWebhookSecret(),
      status: 'active',
      pause_reason: null,
      old_secret_until: null,
      failing_since: null,
      attempts: 0,
      next_attempt_at: time,
      created_at: time,
      updated_at: time,
    },
    100,
  );
  for (let made = 0; made < notes; made += 1) await insertNote(steno.store, user.id, { content: 'x' });
  return id;
}
const stateOf = (id: string) =>
  steno.database.db
    .selectFrom('webhooks')
    .select(['attempts', 'failing_since', 'status'])
    .where('id', '=', id)
    .executeTakeFirst();
const delivered = async (id: string) =>
  (await webhooksIn(steno).deliveries(id, { limit: 10 })).filter((one) => one.delivered_at !== null).length;
/** Waits without a timer: those of the test stand still. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
}

test('events go out at the next look, one after the other', async () => {
  const delivery = delivering();
  const id = await hooked(2);
  vi.advanceTimersByTime(1_000);
  await until(() => held.length === 1);
  held[0]?.({ status: 204, head: '' });
  await until(() => held.length === 2);
  held[1]?.({ status: 204, head: '' });
  await until(async () => (await delivered(id)) === 2);
  await delivery.close();
});

test('a server that stops lets the request that runs end, keeps its outcome, and begins no other', async () => {
  const delivery = delivering();
  const id = await hooked(3);
  const settled = delivery.settle();
  await until(() => held.length === 1);
  let isOver = false;
  const closing = delivery.close().then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([isOver, closed]).toEqual([false, 0]);
  held[0]?.({ status: 204, head: '' });
  await closing;
  await settled;
  expect(await delivered(id)).toBe(1);
  expect([held.length, closed]).toEqual([1, 1]);
  // No timer goes on without it, and the webhook is free for another server at once.
  expect(vi.getTimerCount()).toBe(0);
  const other = delivering();
  vi.advanceTimersByTime(1_000);
  await until(() => held.length === 2);
  held[1]?.({ status: 204, head: '' });
  await other.close();
});

test('a request that takes longer is cut off after two seconds, and that is no failure of its receiver', async () => {
  const delivery = delivering();
  const id = await hooked(1);
  void delivery.settle();
  await until(() => held.length === 1);
  const closing = delivery.close();
  await until(() => vi.getTimerCount() === 1);
  vi.advanceTimersByTime(2_000);
  await closing;
  expect(await stateOf(id)).toEqual({ attempts: 0, failing_since: null, status: 'active' });
  expect(await delivered(id)).toBe(0);
});

test('what it has not subscribed to is passed over, and not looked at again', async () => {
  const id = await hooked(1);
  const { owner_id: ownerId } =
    (await webhooksIn(steno).listAll()).find((one) => one.id === id) ?? expect.fail();
  const [note] = await steno.store.notes.list(ownerId, { limit: 1 });
  const call = { userId: ownerId, now: new Date().toISOString() };
  await act(steno.database, updateNote, call, { id: note?.id, body: { content: 'y' }, headers: {} });
  const waiting = async () => {
    const webhook = await webhooksIn(steno).get({ kind: 'owner', ownerId }, id);
    return (await webhooksIn(steno).waiting(webhook ?? expect.fail(), 10)).length;
  };
  expect(await waiting()).toBe(2);
  const delivery = delivering();
  const settled = delivery.settle();
  await until(() => held.length === 1);
  held[0]?.({ status: 204, head: '' });
  await settled;
  expect([held.length, await waiting()]).toEqual([1, 0]);
  await delivery.close();
});

test('a receiver that refuses is told of the same event later', async () => {
  const delivery = delivering();
  const id = await hooked(2);
  const settled = delivery.settle();
  await until(() => held.length === 1);
  held[0]?.({ status: 500, head: '' });
  await settled;
  expect(held).toHaveLength(1);
  expect(await stateOf(id)).toMatchObject({ attempts: 1, failing_since: new Date(now).toISOString() });
  await delivery.close();
});

test('while the database is away nothing goes out, and afterwards everything', async () => {
  const working = steno.parts.webhooks.turns;
  let isAway = true;
  const turns: WebhookTurns = {
    ...working,
    async takeDue(...given) {
      if (isAway) throw new Error('away');
      return working.takeDue(...given);
    },
  };
  const warned: string[] = [];
  const log = { ...silentLog, warn: (_: object, text: string) => warned.push(text) };
  const delivery = createWebhookDelivery({ turns, sender, clock: () => now, log, pollMs: 1_000 });
  const id = await hooked(1);
  await delivery.settle();
  await delivery.settle();
  // Once, and not each second.
  expect(warned).toHaveLength(1);
  isAway = false;
  const settled = delivery.settle();
  await until(() => held.length === 1);
  held[0]?.({ status: 200, head: '' });
  await settled;
  expect(await delivered(id)).toBe(1);
  isAway = true;
  await delivery.settle();
  expect(warned).toHaveLength(2);
  await delivery.close();
});
