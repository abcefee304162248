import { createHmac, hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type ChangePosition, type LoggedChange, scopesToSee } from './change.ts';
import { id, timestamp } from './fields.ts';
import type { Scope } from './scopes.ts';

export const webhookEvents = [
  'note.created',
  'note.updated',
  'note.deleted',
  'transcription.created',
  'recording.done',
  'recording.failed',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

export const webhook = z.object({
  id,
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  space_id: id.nullable(),
  status: z.enum(['active', 'paused']),
  pause_reason: z.string().nullable().describe('Why the server paused it. null if it did not.'),
  failing_since: timestamp.nullable().describe('Since when the receiver has accepted nothing.'),
  attempts: z.int().describe('How often the event whose turn it is has failed.'),
  next_attempt_at: timestamp.describe('Before this time nothing is sent.'),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Webhook = z.infer<typeof webhook>;
export type WebhookChanges = Partial<Pick<Webhook, 'url' | 'events' | 'status'>>;

/** What the deliverer needs to know. */
export const sendingWebhook = webhook.extend({
  owner_id: z.string(),
  account_id: z.string(),
  key_id: z.string().nullable(),
  secret: z.string(),
  tx: z.int(),
  seq: z.int(),
});
export type SendingWebhook = z.infer<typeof sendingWebhook>;
/** Who answers for a webhook: the person who made or last changed it, and the key of that call, without which it is paused. */
export type WebhookMaker = Pick<SendingWebhook, 'account_id' | 'key_id'>;

/** An event on its way to one webhook. */
export const delivery = z.object({
  id: z.string().describe('The header `webhook-id`. The same for every attempt.'),
  event: z.enum(webhookEvents),
  resource_id: z.string().describe('Id of the note, transcription or recording.'),
  at: timestamp.describe('When it happened.'),
  attempts: z.int(),
  delivered_at: timestamp.nullable(),
  last_attempt_at: timestamp,
  response_status: z.int().nullable().describe('HTTP status of the last answer. null if there was none.'),
  error: z.string().nullable().describe('Why the last attempt failed.'),
});
export type Delivery = z.infer<typeof delivery>;

export const maxWebhooksPerOwner = 10;
export const maxWebhookUrlLength = 2048;
export const deliveriesKeptDays = 7;

const second = 1000;
const hour = 3600 * second;
/** How long to wait after the first failure, after the second, and so on. The last one repeats. */
const retryDelaysMs = [30 * second, 120 * second, 600 * second, hour, 6 * hour];
const maxFailingMs = 24 * hour;

/** The event for a change; undefined if webhooks have no event for it. */
export function eventOf({ type, action }: Pick<LoggedChange, 'type' | 'action'>): WebhookEvent | undefined {
  const name = `${type}.${action}`;
  return webhookEvents.find((event) => event === name);
}

/** Any one of these scopes is enough to get the event. */
export function scopesToHear(event: WebhookEvent): readonly Scope[] {
  return event.startsWith('note.') ? scopesToSee.note : scopesToSee.transcription;
}

/** The id stays the same whenever the event is sent, even after a crash, so receivers can drop duplicates. */
export function newDelivery(
  webhookId: string,
  event: WebhookEvent,
  { seq, id, at }: LoggedChange & ChangePosition,
): Pick<Delivery, 'id' | 'event' | 'resource_id' | 'at'> {
  // The number alone is not enough: a restored backup gives the same numbers out again.
  const name = hash('sha256', [webhookId, seq, event, id, at].join('\n'), 'base64url').slice(0, 32);
  return { id: `msg_${name}`, event, resource_id: id, at };
}

/** After a failure: when to try again, or that it has failed for too long. */
export function afterFailure(
  { attempts, failing_since }: Pick<Webhook, 'attempts' | 'failing_since'>,
  now: number,
): { attempts: number; failing_since: string; next_attempt_at: string; isOver: boolean } {
  const since = failing_since === null ? now : Date.parse(failing_since);
  const delay = retryDelaysMs[Math.min(attempts, retryDelaysMs.length - 1)] ?? 0;
  // The last attempt is made when the day is over.
  const next = Math.max(now, Math.min(now + delay, since + maxFailingMs));
  return {
    attempts: attempts + 1,
    failing_since: new Date(since).toISOString(),
    next_attempt_at: new Date(next).toISOString(),
    isOver: now - since >= maxFailingMs,
  };
}

const secretPrefix = 'whsec_';

export const newWebhookSecret = () => secretPrefix + randomBytes(32).toString('base64');

/** A request in the form of Standard Webhooks (https://www.standardwebhooks.com). It says what to fetch and holds no text. */
export function signedRequest(
  { secret, space_id }: Pick<SendingWebhook, 'secret' | 'space_id'>,
  { id, event, resource_id, at }: Pick<Delivery, 'id' | 'event' | 'resource_id' | 'at'>,
  now: number,
): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify({ type: event, timestamp: at, data: { id: resource_id, space_id } });
  const timestamp = String(Math.floor(now / second));
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Steno-Webhooks',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
    body,
  };
}
