import type { AuditEvent } from '../../domain/audit.ts';
import type { ChangePosition } from '../../domain/change.ts';
import {
  afterFailure,
  auditRecorded,
  type Delivery,
  eventOf,
  newDelivery,
  requestHead,
  type SendingWebhook,
  type SentEvent,
  signedRequest,
} from '../../domain/webhook.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeFault, type Log } from '../../lib/log.ts';
import type { WebhookSender } from './sender.ts';
import type { WebhookTurns } from './turns.ts';

interface Dependencies {
  turns: WebhookTurns;
  sender: WebhookSender;
  clock: Clock;
  log: Log;
  pollMs?: number | undefined;
  places?: typeof defaultPlaces;
  /** Gets how each attempt ended. */
  onAttempt?(outcome: 'delivered' | 'failed'): void;
}

/** Webhooks that are delivered at once: an account has few of the places, so its slow receivers do not hold up other accounts. */
const defaultPlaces = { all: 128, perAccount: 4 };
/** A turn is over after this many changes or this time. The webhook that has waited longest has the next one. */
const changesPerTurn = 100;
const turnMs = 5_000;
const pauseReasons = {
  key: 'Its key was revoked or has expired.',
  left: 'The member who made it has left the workspace.',
  audit: 'The person who made it may no longer read this audit log.',
};
const gone = 410;
const closeWaitMs = 2_000;

type Outcome = Awaited<ReturnType<WebhookSender['send']>>;

/** The delivery after one more attempt. */
export function attempted(
  delivery: SentEvent,
  attempts: number,
  { headers, ...outcome }: Outcome & { headers: Record<string, string> },
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
    request_head: requestHead(headers),
    response_head: 'head' in outcome ? outcome.head : null,
  };
}

/** Sends an event once. */
export async function attempt(
  { sender, clock }: Pick<Dependencies, 'sender' | 'clock'>,
  to: SendingWebhook,
  event: SentEvent,
  attempts: number,
  audited?: AuditEvent,
): Promise<Delivery> {
  const request = signedRequest(to, event, clock(), audited);
  const outcome = { ...(await sender.send(to.url, request)), headers: request.headers };
  return attempted(event, attempts, outcome, new Date(clock()).toISOString());
}

/**
 * Sends each webhook one event after the other, in the order of the changes; the next one goes out when the receiver has
 * accepted the previous one. Nothing is lost, because the events are the rows of `changes` after the webhook's place. After a
 * crash the last events may come twice (docs/decisions/0110-webhooks.md).
 */
export function createWebhookDelivery(dependencies: Dependencies) {
  const { turns, sender, clock, log, pollMs = 1_000, places = defaultPlaces, onAttempt } = dependencies;
  const running = new Map<string, { account_id: string; ended: Promise<void> }>();
  const now = () => new Date(clock()).toISOString();
  let isClosing = false;
  let isFailing = false;
  let isWoken = false;
  let polling: Promise<void> | undefined;

  /** Starts a turn for each webhook that is due, as far as there are places. */
  async function poll(): Promise<void> {
    for (const id of await turns.pauseWithoutMaker(now(), pauseReasons))
      log.warn({ webhook: id }, 'Webhook paused, because its key or its maker has no access any more');
    const free = places.all - running.size;
    if (free <= 0) return;
    const inFlight = [...running].map(([id, { account_id }]) => ({ id, account_id }));
    const due = await turns.takeDue(now(), { free, perAccount: places.perAccount, inFlight });
    for (const webhook of due)
      if (!isClosing) running.set(webhook.id, { account_id: webhook.account_id, ended: giveTurn(webhook) });
  }

  async function giveTurn(webhook: SendingWebhook): Promise<void> {
    const hasMoved = await guarded(() => deliver(webhook));
    running.delete(webhook.id);
    // There is a free place, and perhaps more of its events. After a fault the timer decides.
    if (hasMoved) tick();
  }

  /** If the database is away, a later poll tries everything again. */
  async function guarded<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await work();
      isFailing = false;
      return result;
    } catch (cause) {
      if (!isFailing) log.warn({ fault: describeFault(cause) }, 'Webhooks stopped; will try again');
      isFailing = true;
      return undefined;
    }
  }

  /** One turn. False if nothing waited. */
  async function deliver(webhook: SendingWebhook): Promise<boolean> {
    const turnEnd = clock() + turnMs;
    let { attempts } = webhook;
    const changes = await turns.waiting(webhook, changesPerTurn);
    const progress = keepProgress(webhook);
    for (const change of changes) {
      const current = progress.current() ?? webhook;
      const event = eventOf(change);
      if (event === undefined || !current.events.includes(event)) {
        progress.reached(change);
        continue;
      }
      const audited = event === auditRecorded ? await turns.audited(webhook, change.id, now()) : undefined;
      // The next poll pauses it, or leaves it out.
      if (audited?.isAllowed === false) break;
      if (audited && !audited.event) {
        progress.reached(change);
        continue;
      }
      const begun = newDelivery(webhook.id, event, change);
      const delivery = await attempt(dependencies, current, begun, attempts, audited?.event);
      onAttempt?.(delivery.delivered_at === null ? 'failed' : 'delivered');
      if (delivery.delivered_at === null) {
        const still = await progress.settled();
        if (still && !isClosing) await fail(still, delivery);
        return true;
      }
      attempts = 0;
      progress.reached(change, delivery);
      if (isClosing || !progress.current() || clock() >= turnEnd) break;
    }
    await progress.settled();
    return changes.length > 0;
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
        current = await turns.advance(webhook.id, place, batch, now()).catch((cause: unknown) => {
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
    await turns.postpone(
      webhook,
      { ...failure, status: reason === null ? 'active' : 'paused', pause_reason: reason },
      delivery,
    );
    // The address is not logged: it may hold a secret.
    if (reason !== null)
      log.warn({ webhook: webhook.id, failing_since: failure.failing_since, reason }, 'Webhook paused');
  }

  async function pollUntilDone(): Promise<void> {
    do {
      isWoken = false;
      await guarded(poll);
    } while (isWoken && !isClosing);
  }

  function tick(): void {
    isWoken = true;
    if (isClosing) return;
    polling ??= pollUntilDone().finally(() => {
      polling = undefined;
    });
  }
  const timer = setInterval(tick, pollMs).unref();
  const ended = () => Promise.all([...running.values()].map((turn) => turn.ended));

  return {
    /** Resolves when everything that was due is delivered or has failed. */
    async settle(): Promise<void> {
      tick();
      while (polling || running.size > 0) {
        await polling;
        await ended();
      }
    },

    async close(): Promise<void> {
      isClosing = true;
      clearInterval(timer);
      await polling;
      // Running requests get a moment to finish. Slower ones are cut off and sent again after the next start.
      const cut = setTimeout(() => sender.close(), closeWaitMs);
      await ended();
      clearTimeout(cut);
      sender.close();
      await guarded(async () => turns.leaveAll());
    },
  };
}
