import { AppError, notFound } from '../domain/errors.ts';
import { reachOf } from '../domain/owner.ts';
import { type Page, type PageOptions, pageQuery, toPage } from '../domain/page.ts';
import type { Principal } from '../domain/principal.ts';
import {
  auditRecorded,
  checkEvents,
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
  type WebhookFilter,
  wholeServer,
} from '../domain/webhook.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { WebhookSender } from '../ports/webhook-sender.ts';
import { type Owner, ownerOf } from './owners.ts';
import { requireRole } from './roles.ts';
import { attempted } from './webhook-delivery.ts';

const hourMs = 3_600_000;

interface Dependencies {
  store: Store;
  sender: WebhookSender;
  clock: Clock;
  newId: NewId;
}

/** Whose events: of a space, the audit log of a workspace or of the whole server, and if none is named, the caller's own. */
export interface WebhookPlace {
  space_id?: string | undefined;
  workspace_id?: string | undefined;
  server?: boolean | undefined;
}

export interface WebhookDraft extends WebhookPlace {
  url: string;
  events: WebhookEvent[];
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
    const found = await store.webhooks.get(filterOf(principal), id);
    if (!found) throw notFound('Webhook');
    return found;
  }

  async function send(webhook: SendingWebhook, event: SentEvent, attempts: number): Promise<Delivery> {
    const audited = event.event === auditRecorded;
    const row = audited ? (await store.webhooks.audited(webhook, event.resource_id, now())).event : undefined;
    if (audited && !row) throw notFound('Audit event');
    const request = signedRequest(webhook, event, clock(), row);
    const outcome = { ...(await sender.send(webhook.url, request)), headers: request.headers };
    return attempted(event, attempts, outcome, now());
  }

  /** Raises `validation_error`, `not_found` and `forbidden`. */
  async function ownerAt(
    principal: Principal,
    { space_id, workspace_id, server }: WebhookPlace,
  ): Promise<Owner & { workspaceId: string | null }> {
    if (workspace_id === undefined && !server)
      return { ...(await ownerOf(store.spaces, principal, space_id)), workspaceId: null };
    if ([space_id, workspace_id, server || undefined].filter((given) => given !== undefined).length > 1)
      throw new AppError('validation_error', 'Only one of space_id, workspace_id and server can be given.');
    const filter = filterOf(principal);
    if (filter.kind !== 'session')
      throw new AppError('forbidden', 'Webhooks of an audit log need a session; sign in to the console.');
    if (workspace_id !== undefined) {
      await requireRole(store, principal, workspace_id, 'admin');
      return { ownerId: workspace_id, spaceId: null, workspaceId: workspace_id };
    }
    if (!filter.isOperator) throw new AppError('forbidden', 'This is for operators of the server.');
    return { ownerId: wholeServer, spaceId: null, workspaceId: null };
  }

  return {
    /**
     * It gets the changes from now on. Only this answer has the secret.
     * Raises `validation_error` (url, space_id), `forbidden` (an event that the key may not read) and `limit_reached`.
     */
    async create(principal: Principal, draft: WebhookDraft): Promise<Webhook & { secret: string }> {
      checkEvents(draft.events, draft.workspace_id !== undefined || draft.server === true);
      checkScopes(principal, draft.events);
      const { ownerId, spaceId, workspaceId } = await ownerAt(principal, draft);
      await checkUrl(draft.url);
      const at = now();
      const webhook = {
        id: newId(),
        owner_id: ownerId,
        space_id: spaceId,
        workspace_id: workspaceId,
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
    async list(principal: Principal, place: WebhookPlace): Promise<Webhook[]> {
      const { ownerId } = await ownerAt(principal, place);
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
      checkEvents(changes.events ?? before.events, before.events.includes(auditRecorded));
      if (changes.url !== undefined) await checkUrl(changes.url);
      const from = { ...changes, ...makerOf(principal) };
      const after = await store.webhooks.update(filterOf(principal), id, from, now());
      if (!after) throw notFound('Webhook');
      return after;
    },

    /** Raises `not_found`. */
    async remove(principal: Principal, id: string): Promise<void> {
      if (!(await store.webhooks.remove(filterOf(principal), id))) throw notFound('Webhook');
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
        await store.webhooks.update(filterOf(principal), id, {}, now());
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
      const after = await store.webhooks.rotate(filterOf(principal), id, { secret, until }, now());
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

/** An app password, which may be in many programs, hears no audit log; nor does a key. */
const filterOf = (principal: Principal): WebhookFilter =>
  principal.kind === 'session' && !principal.byAppPassword ? principal : reachOf(principal);

const makerOf = ({ userId, key }: Principal) => ({ account_id: userId, key_id: key?.id ?? null });

/** A key gets no event of a resource that it may not read. */
function checkScopes({ scopes }: Principal, events: readonly WebhookEvent[]): void {
  for (const event of events.filter((one) => one !== auditRecorded)) {
    const needed = scopesToHear(event);
    if (!needed.some((scope) => scopes.includes(scope)))
      throw new AppError('forbidden', `This key lacks the scope ${needed.join(' or ')}; ${event} needs it.`);
  }
}
