import type { ChangePosition } from '../domain/change.ts';
import {
  afterFailure,
  type Delivery,
  eventOf,
  newDelivery,
  type SendingWebhook,
  signedRequest,
} from '../domain/webhook.ts';
import { describeFault, type Log } from '../lib/log.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { WebhookSender } from '../ports/webhook-sender.ts';

interface Dependencies {
  store: Store;
  sender: WebhookSender;
  clock: Clock;
  log: Log;
  pollMs?: number | undefined;
}

const maxAtOnce = 64;
const changesPerRead = 100;
const gone = 410;
const closeWaitMs = 2_000;

type Outcome = Awaited<ReturnType<WebhookSender['send']>>;

/** The delivery after one more attempt. */
export function attempted(
  delivery: Pick<Delivery, 'id' | 'event' | 'resource_id' | 'at'>,
  attempts: number,
  outcome: Outcome,
  now: string,
): Delivery {
  const { id, event, resource_id, at } = delivery;
  const status = 'status' in outcome ? outcome.status : null;
  const accepted = status !== null && status >= 200 && status < 300;
  const refused = status === null ? null : `The receiver answered with status ${status}, not 2xx.`;
  return {
    id,
    event,
    resource_id,
    at,
    attempts: attempts + 1,
    delivered_at: accepted ? now : null,
    last_attempt_at: now,
    response_status: status,
    error: accepted ? null : 'error' in outcome ? outcome.error : refused,
  };
}

/**
 * Sends each webhook one event after the other, in the order of the changes; the next one goes out when the receiver has
 * accepted the previous one. Nothing is lost, because the events are the rows of `changes` after the webhook's place. After a
 * crash the last events may come twice (docs/decisions/0110-webhooks.md).
 */
export function createWebhookDelivery({ store, sender, clock, log, pollMs = 1_000 }: Dependencies) {
  const { webhooks } = store;
  const running = new Map<string, Promise<void>>();
  const now = () => new Date(clock()).toISOString();
  let isClosing = false;
  let isFailing = false;
  let polling: Promise<void> | undefined;

  /** Starts delivering to the webhooks that are due. */
  async function poll(): Promise<void> {
    const due = await webhooks.takeDue(now(), maxAtOnce);
    for (const webhook of due)
      if (!running.has(webhook.id) && running.size < maxAtOnce && !isClosing)
        running.set(
          webhook.id,
          guarded(() => deliver(webhook)).finally(() => running.delete(webhook.id)),
        );
  }

  /** If the database is away, a later poll tries everything again. */
  async function guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      isFailing = false;
    } catch (cause) {
      if (!isFailing) log.warn({ fault: describeFault(cause) }, 'Webhooks stopped; will try again');
      isFailing = true;
    }
  }

  async function deliver(first: SendingWebhook): Promise<void> {
    let webhook: SendingWebhook | undefined = first;
    let { attempts } = first;
    while (webhook && !isClosing) {
      const changes = await webhooks.waiting(webhook, changesPerRead);
      if (changes.length === 0) return;
      const progress = keepProgress(webhook);
      for (const change of changes) {
        const { url, events, ...current }: SendingWebhook = progress.current() ?? webhook;
        const event = eventOf(change);
        if (event === undefined || !events.includes(event)) {
          progress.reached(change);
          continue;
        }
        const begun = newDelivery(webhook.id, event, change);
        const outcome = await sender.send(url, signedRequest(current, begun, clock()));
        const delivery = attempted(begun, attempts, outcome, now());
        if (delivery.delivered_at === null) {
          webhook = await progress.settled();
          if (webhook && !isClosing) await fail(webhook, delivery);
          return;
        }
        attempts = 0;
        progress.reached(change, delivery);
        if (isClosing || !progress.current()) break;
      }
      webhook = await progress.settled();
    }
  }

  /** Stores what was delivered while the next event is being sent. What is delivered meanwhile goes into the next write. */
  function keepProgress(webhook: SendingWebhook) {
    let current: SendingWebhook | undefined = webhook;
    let upTo: ChangePosition | undefined;
    let deliveries: Delivery[] = [];
    let writing: Promise<void> | undefined;

    async function write(): Promise<void> {
      while (upTo && current) {
        const [place, batch] = [upTo, deliveries];
        upTo = undefined;
        deliveries = [];
        current = await webhooks.advance(webhook.id, place, batch).catch((cause: unknown) => {
          current = undefined;
          throw cause;
        });
      }
      if (current) writing = undefined;
    }

    return {
      /** The webhook as of the last write. Undefined if this server must stop delivering it. */
      current: () => current,
      reached({ tx, seq }: ChangePosition, delivery?: Delivery): void {
        upTo = { tx, seq };
        if (delivery) deliveries.push(delivery);
        if (writing) return;
        writing = write();
        // `settled` throws it.
        writing.catch(() => {});
      },
      async settled(): Promise<SendingWebhook | undefined> {
        await writing;
        return current;
      },
    };
  }

  async function fail(webhook: SendingWebhook, delivery: Delivery): Promise<void> {
    const { isOver, ...failure } = afterFailure(webhook, clock());
    const reason =
      delivery.response_status === gone
        ? 'The receiver answered 410 Gone.'
        : isOver
          ? 'The receiver has accepted nothing for a day.'
          : null;
    await webhooks.postpone(
      webhook,
      { ...failure, status: reason === null ? 'active' : 'paused', pause_reason: reason },
      delivery,
    );
    // The address is not logged: it may hold a secret.
    if (reason !== null)
      log.warn({ webhook: webhook.id, failing_since: failure.failing_since, reason }, 'Webhook paused');
  }

  const tick = () => {
    polling ??= guarded(poll).finally(() => {
      polling = undefined;
    });
  };
  const timer = setInterval(tick, pollMs).unref();

  return {
    /** Resolves when everything that was due is delivered or has failed. */
    async settle(): Promise<void> {
      await polling;
      await guarded(poll);
      await Promise.all(running.values());
    },

    async close(): Promise<void> {
      isClosing = true;
      clearInterval(timer);
      await polling;
      // Running requests get a moment to finish. Slower ones are cut off and sent again after the next start.
      const cut = setTimeout(() => sender.close(), closeWaitMs);
      await Promise.all(running.values());
      clearTimeout(cut);
      sender.close();
      await guarded(() => webhooks.leaveAll());
    },
  };
}
