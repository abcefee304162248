import type { AuditEvent } from '../domain/audit.ts';
import type { ChangePosition, LoggedChange } from '../domain/change.ts';
import type { PageQuery } from '../domain/page.ts';
import type {
  Delivery,
  SendingWebhook,
  Webhook,
  WebhookChanges,
  WebhookFilter,
  WebhookMaker,
} from '../domain/webhook.ts';

/** What this server may take on. */
export interface WebhookPlaces {
  free: number;
  perAccount: number;
  /** Being delivered now; not taken again. */
  inFlight: readonly Pick<SendingWebhook, 'id' | 'account_id'>[];
}

export interface WebhookStore {
  /** It gets changes from now on. `max` limits the webhooks of the owner. */
  insert(
    webhook: Webhook & WebhookMaker & Pick<SendingWebhook, 'owner_id' | 'secret'>,
    max: number,
  ): Promise<'ok' | 'limit reached'>;
  /** The oldest first. */
  list(ownerId: string): Promise<Webhook[]>;
  /** Everybody's. */
  listAll(): Promise<(Webhook & { owner_id: string })[]>;
  get(filter: WebhookFilter, id: string): Promise<SendingWebhook | undefined>;
  /** Also forgets its failures, so that it is tried again at once. */
  update(
    filter: WebhookFilter,
    id: string,
    changes: WebhookChanges & Partial<WebhookMaker>,
    now: string,
  ): Promise<Webhook | undefined>;
  remove(filter: WebhookFilter, id: string): Promise<boolean>;
  /** The last attempted first. */
  deliveries(webhookId: string, page: PageQuery): Promise<Delivery[]>;
  delivery(webhookId: string, id: string): Promise<Delivery | undefined>;
  /** Stores the result of one more attempt, and nothing else. */
  keepDelivery(delivery: Delivery): Promise<void>;
  /** Stores a delivery that is none of the changes. False if the webhook is gone. */
  addDelivery(webhookId: string, delivery: Delivery): Promise<boolean>;
  /** `until`: how long the secret that it had signs as well; null for not at all. */
  rotate(
    filter: WebhookFilter,
    id: string,
    next: { secret: string; until: string | null },
    now: string,
  ): Promise<Webhook | undefined>;
  removeDeliveries(olderThan: string): Promise<void>;

  /**
   * Pauses those whose key was revoked, has expired or is gone, those of members who left, and those whose maker may not read
   * the audit log any more. Returns their ids.
   */
  pauseWithoutMaker(now: string, reasons: { key: string; left: string; audit: string }): Promise<string[]>;
  /**
   * Claims active webhooks with waiting events that no other server delivers. From now on this server does. Accounts take
   * turns: each gets its first place before any gets a second. Those of suspended accounts wait.
   */
  takeDue(now: string, places: WebhookPlaces): Promise<SendingWebhook[]>;
  /** The changes that wait for it, the oldest first, including those that it has not subscribed to. */
  waiting(webhook: SendingWebhook, limit: number): Promise<(LoggedChange & ChangePosition)[]>;
  /** What the audit log says, as far as it still does, and whether the maker of the webhook may hear it now. */
  audited(
    webhook: Pick<SendingWebhook, 'id' | 'workspace_id'>,
    id: string,
    now: string,
  ): Promise<{ event: AuditEvent | undefined; isAllowed: boolean }>;
  /**
   * Everything up to `upTo` is delivered. Returns the webhook as it is now; undefined if it is gone or paused, or another
   * server delivers it.
   */
  advance(
    id: string,
    upTo: ChangePosition,
    deliveries: Delivery[],
    now: string,
  ): Promise<SendingWebhook | undefined>;
  /** Nothing happens if somebody changed the webhook meanwhile. */
  postpone(
    webhook: SendingWebhook,
    failure: Pick<Webhook, 'status' | 'pause_reason' | 'failing_since' | 'attempts' | 'next_attempt_at'>,
    delivery: Delivery,
  ): Promise<void>;
  /** Releases the webhooks, so that other servers may deliver them. */
  leaveAll(): Promise<void>;
}
