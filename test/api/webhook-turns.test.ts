import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newWebhookSecret } from '../../src/domain/webhook.ts';
import { createWebhookDelivery } from '../../src/engines/webhooks/delivery.ts';
import type { WebhookSender } from '../../src/engines/webhooks/sender.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { stoppedClock } from '../support/clock.ts';
import { allCommitted } from '../support/horizon.ts';
import { databaseKinds, silentLog, startSteno, type TestSteno } from '../support/steno.ts';
import { webhooksIn } from '../support/webhooks.ts';

const start = Date.parse('2026-05-01T12:00:00.000Z');
const never = 2 ** 31 - 1;

describe.each(databaseKinds)('webhooks take turns on %s', (databaseKind) => {
  const clock = stoppedClock(start);
  let steno: TestSteno;
  let deliveries: ReturnType<typeof createWebhookDelivery>[];
  /** The addresses that were sent to, in order. */
  let sent: string[];
  /** Requests without an answer; `url` → answer it. */
  let held: Map<string, () => void>;

  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock, webhookPollMs: never });
  });
  beforeEach(() => {
    [deliveries, sent, held] = [[], [], new Map()];
  });
  afterEach(async () => {
    for (const answer of held.values()) answer();
    for (const delivery of deliveries) await delivery.close();
    await steno.database.db.deleteFrom('webhooks').execute();
  });
  afterAll(() => steno.close());

  /** A receiver under `slow` answers when the test says so; any other answers at once, `ms` later by the clock. */
  const sender: WebhookSender = {
    findFault: async () => null,
    async send(url) {
      sent.push(url);
      clock.advance(Number(new URL(url).searchParams.get('ms') ?? 1));
      if (url.includes('slow')) await new Promise<void>((resolve) => held.set(url, resolve));
      held.delete(url);
      return { status: 204, head: '204' };
    },
    close() {},
  };

  const delivering = (places = { all: 128, perAccount: 4 }) => {
    const { turns } = steno.parts.webhooks;
    const delivery = createWebhookDelivery({ turns, sender, clock, log: silentLog, pollMs: never, places });
    deliveries.push(delivery);
    return delivery;
  };

  async function hook(of: { user: { id: string } }, url: string): Promise<void> {
    const at = new Date(start).toISOString();
    const webhook = {
      id: newUuid(),
      owner_id: of.user.id,
      account_id: of.user.id,
      key_id: null,
      space_id: null,
      workspace_id: null,
      url,
      events: ['note.created' as const],
      secret: newWebhookSecret(),
      status: 'active' as const,
      pause_reason: null,
      old_secret_until: null,
      failing_since: null,
      attempts: 0,
      next_attempt_at: at,
      created_at: at,
      updated_at: at,
    };
    expect(await webhooksIn(steno).insert(webhook, 100)).toBe('ok');
  }

  async function note({ key }: { key: string }, count = 1): Promise<void> {
    for (let made = 0; made < count; made += 1) {
      const { status } = await steno.call('POST', '/notes/create', { key, body: { content: 'x' } });
      expect(status).toBe(201);
    }
    await allCommitted(steno.database);
  }

  test('70 receivers of one person that do not answer hold up nobody else', async () => {
    const [ada, eve] = [await steno.person(), await steno.person()];
    for (let at = 0; at < 70; at += 1) await hook(ada, `https://slow.example/${at}`);
    await hook(eve, 'https://eve.example/');
    await note(ada);
    const delivery = delivering();
    const settled = delivery.settle();
    await expect.poll(() => held.size).toBe(4);
    await note(eve);
    void delivery.settle();
    await expect.poll(() => sent).toContain('https://eve.example/');
    expect(held.size).toBe(4);
    // Those that wait go on when a place is free, and each gets its event once.
    await expect
      .poll(() => {
        for (const answer of held.values()) answer();
        return sent.length;
      })
      .toBe(71);
    await settled;
    expect(new Set(sent).size).toBe(71);
  });

  test('a webhook in flight is not taken again, whatever comes meanwhile', async () => {
    const ada = await steno.person();
    await hook(ada, 'https://slow.example/');
    await note(ada);
    const delivery = delivering();
    const settled = delivery.settle();
    await expect.poll(() => held.size).toBe(1);
    await note(ada);
    void delivery.settle();
    await hook(ada, 'https://quick.example/');
    await note(ada);
    void delivery.settle();
    await expect.poll(() => sent).toContain('https://quick.example/');
    expect(sent.filter((url) => url.includes('slow'))).toHaveLength(1);
    for (let more = 2; more <= 3; more += 1) {
      held.get('https://slow.example/')?.();
      await expect.poll(() => sent.filter((url) => url.includes('slow')).length).toBe(more);
    }
    held.get('https://slow.example/')?.();
    await settled;
    expect(sent).toHaveLength(4);
  });

  test('with one place two people take turns: after 100 events, or after five seconds', async () => {
    const [ada, eve] = [await steno.person(), await steno.person()];
    await hook(ada, 'https://ada.example/');
    await hook(eve, 'https://eve.example/?ms=6000');
    await note(ada, 150);
    await note(eve, 3);
    await delivering({ all: 1, perAccount: 1 }).settle();
    const runs: [string, number][] = [];
    for (const url of sent.map((one) => new URL(one).hostname.slice(0, 3))) {
      const last = runs.at(-1);
      if (last?.[0] === url) last[1] += 1;
      else runs.push([url, 1]);
    }
    const turns = [
      ['ada', 100],
      ['eve', 1],
      ['ada', 50],
      ['eve', 2],
    ];
    // Who begins is chance.
    expect([turns, [['eve', 1], ...turns.slice(0, 3), ['eve', 1]]]).toContainEqual(runs);
  });

  test('everybody has a first place before anybody has a second', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => steno.person()));
    for (const [at, one] of people.entries())
      for (const which of [1, 2, 3]) await hook(one, `https://slow.example/${at}/${which}`);
    for (const one of people) await note(one);
    void delivering({ all: 6, perAccount: 4 }).settle();
    await expect.poll(() => held.size).toBe(6);
    expect(new Set(sent.map((url) => url.split('/')[3])).size).toBe(6);
  });
});
