import { AppError, notFound } from '../domain/errors.ts';
import { reachOf } from '../domain/owner.ts';
import { type Page, type PageOptions, pageQuery, toPage } from '../domain/page.ts';
import type { Principal } from '../domain/principal.ts';
import {
  type Delivery,
  deliveriesKeptDays,
  maxWebhooksPerOwner,
  newTest,
  newWebhookSecret,
  type SendingWebhook,
  type SentEvent,
  scopesToHear,
  signedRequest,
  type Webhook,
  type WebhookChanges,
  type WebhookEvent,
} from '../domain/webhook.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { WebhookSender } from '../ports/webhook-sender.ts';
import { ownerOf } from './owners.ts';
import { attempted } from './webhook-delivery.ts';

const hourMs = 3_600_000;

interface Dependencies {
  store: Store;
  sender: WebhookSender;
  clock: Clock;
  newId: NewId;
}

export interface WebhookDraft {
  url: string;
  events: WebhookEvent[];
  space_id?: string | undefined;
}

export type Webhooks = ReturnType<typeof createWebhooks>;

/** The webhooks of an owner. webhook-delivery.ts sends their events. */
export function createWebhooks({ store, sender, clock, newId }: Dependencies) {
  const now = () => new Date(clock()).toISOString();

  async function checkUrl(url: string): Promise<void> {
    const fault = await sender.findFault(url);
    if (fault !== null) throw new AppError('validation_error', `url ${fault}.`);
  }

  async function find(principal: Principal, id: string) {
    const found = await store.webhooks.get(reachOf(principal), id);
    if (!found) throw notFound('Webhook');
    return found;
  }

  async function send(webhook: SendingWebhook, event: SentEvent, attempts: number): Promise<Delivery> {
    const request = signedRequest(webhook, event, clock());
    const outcome = { ...(await sender.send(webhook.url, request)), headers: request.headers };
    return attempted(event, attempts, outcome, now());
  }

  return {
    /**
     * It gets the changes from now on. Only this answer has the secret.
     * Raises `validation_error` (url, space_id), `forbidden` (an event that the key may not read) and `limit_reached`.
     */
    async create(principal: Principal, draft: WebhookDraft): Promise<Webhook & { secret: string }> {
      checkScopes(principal, draft.events);
      const { ownerId, spaceId } = await ownerOf(store.spaces, principal, draft.space_id);
      await checkUrl(draft.url);
      const at = now();
      const webhook = {
        id: newId(),
        owner_id: ownerId,
        space_id: spaceId,
        url: draft.url,
        events: draft.events,
        secret: newWebhookSecret(),
        old_secret_until: null,
        ...makerOf(principal),
        status: 'active' as const,
        pause_reason: null,
        failing_since: null,
        attempts: 0,
        next_attempt_at: at,
        created_at: at,
        updated_at: at,
      };
      if ((await store.webhooks.insert(webhook, maxWebhooksPerOwner)) === 'limit reached')
        throw new AppError('limit_reached', `You can have at most ${maxWebhooksPerOwner} webhooks.`);
      return webhook;
    },

    /** The oldest first. */
    async list(principal: Principal, options: { space_id?: string | undefined }): Promise<Webhook[]> {
      const { ownerId } = await ownerOf(store.spaces, principal, options.space_id);
      return store.webhooks.list(ownerId);
    },

    /** Raises `not_found`. */
    get: (principal: Principal, id: string): Promise<Webhook> => find(principal, id),

    /**
     * Also retries at once after failures. From now on the webhook belongs to this caller's key, if it is one.
     * Raises like `create`, and `not_found`.
     */
    async update(principal: Principal, id: string, changes: WebhookChanges): Promise<Webhook> {
      checkScopes(principal, changes.events ?? []);
      const before = await find(principal, id);
      if (Object.keys(changes).length === 0) return before;
      if (changes.url !== undefined) await checkUrl(changes.url);
      const from = { ...changes, ...makerOf(principal) };
      const after = await store.webhooks.update(reachOf(principal), id, from, now());
      if (!after) throw notFound('Webhook');
      return after;
    },

    /** Raises `not_found`. */
    async remove(principal: Principal, id: string): Promise<void> {
      if (!(await store.webhooks.remove(reachOf(principal), id))) throw notFound('Webhook');
    },

    /** The last attempted first. Raises `not_found`, and `validation_error` for a bad cursor. */
    async deliveries(principal: Principal, id: string, options: PageOptions): Promise<Page<Delivery>> {
      await find(principal, id);
      const rows = await store.webhooks.deliveries(id, pageQuery('deliveries', options));
      const listed = rows.map((row) => ({ ...row, created_at: row.last_attempt_at }));
      return toPage('deliveries', listed, options.limit);
    },

    /** Sends an event again, even a delivered one, and returns the result. Raises `not_found`. */
    async redeliver(principal: Principal, id: string, deliveryId: string): Promise<Delivery> {
      const webhook = await find(principal, id);
      const before = await store.webhooks.delivery(id, deliveryId);
      if (!before) throw notFound('Delivery');
      const after = await send(webhook, before, before.attempts);
      await store.webhooks.keepDelivery({
        ...after,
        delivered_at: after.delivered_at ?? before.delivered_at,
      });
      const isBack = after.delivered_at !== null && webhook.failing_since !== null;
      // An empty change makes the waiting events go out at once.
      if (isBack && webhook.status === 'active')
        await store.webhooks.update(reachOf(principal), id, {}, now());
      return after;
    },

    /** Sends a signed event that says it is a test, even to a paused webhook, and returns the result. Raises `not_found`. */
    async test(principal: Principal, id: string): Promise<Delivery> {
      const webhook = await find(principal, id);
      const delivery = await send(webhook, newTest(id, now()), 0);
      if (!(await store.webhooks.addDelivery(id, delivery))) throw notFound('Webhook');
      return delivery;
    },

    /** A new secret. The old one signs as well for `graceHours`, so that receivers can change over. Raises `not_found`. */
    async rotate(
      principal: Principal,
      id: string,
      graceHours: number,
    ): Promise<Webhook & { secret: string }> {
      const secret = newWebhookSecret();
      const until = graceHours === 0 ? null : new Date(clock() + graceHours * hourMs).toISOString();
      const after = await store.webhooks.rotate(reachOf(principal), id, { secret, until }, now());
      if (!after) throw notFound('Webhook');
      return { ...after, secret };
    },

    /** For the operator. */
    listAll: () => store.webhooks.listAll(),

    /** For the operator. Then no key pauses it, but in a space its maker must still be a member. Raises `not_found`. */
    async setStatus(id: string, status: Webhook['status']): Promise<Webhook> {
      const known = (await store.webhooks.listAll()).find((one) => one.id === id);
      const reach = { kind: 'owner', ownerId: known?.owner_id ?? '' } as const;
      const after = await store.webhooks.update(reach, id, { status, key_id: null }, now());
      if (!after) throw notFound('Webhook');
      return after;
    },

    /** For the housekeeping. */
    async removeOldDeliveries(): Promise<void> {
      const days = deliveriesKeptDays * 86_400_000;
      await store.webhooks.removeDeliveries(new Date(clock() - days).toISOString());
    },
  };
}

const makerOf = ({ userId, key }: Principal) => ({ account_id: userId, key_id: key?.id ?? null });

/** A key gets no event of a resource that it may not read. */
function checkScopes({ scopes }: Principal, events: readonly WebhookEvent[]): void {
  for (const event of events) {
    const needed = scopesToHear(event);
    if (!needed.some((scope) => scopes.includes(scope)))
      throw new AppError('forbidden', `This key lacks the scope ${needed.join(' or ')}; ${event} needs it.`);
  }
}
