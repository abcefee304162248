import { createHmac, hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { AuditEvent } from './audit.ts';
import { type ChangePosition, type LoggedChange, scopesToSee } from './change.ts';
import { invalid } from './errors.ts';
import { id, timestamp } from './fields.ts';
import type { Scope } from './scopes.ts';

/** Events of a person or a space. */
export const contentEvents = [
  'note.created',
  'note.updated',
  'note.deleted',
  'transcription.created',
  'recording.queued',
  'recording.transcribing',
  'recording.done',
  'recording.failed',
  'language_job.done',
  'language_job.failed',
] as const;
/** An event of a workspace or of the whole server, for webhooks that get no other events. */
export const auditRecorded = 'audit.recorded';
export const webhookEvents = [...contentEvents, auditRecorded] as const;
export type WebhookEvent = (typeof webhookEvents)[number];
/** Sent only when a client asks for a test; a webhook cannot subscribe to it. */
export const testEvent = 'webhook.test';

export const webhook = z.object({
  id,
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  space_id: id.nullable(),
  workspace_id: id
    .nullable()
    .describe(
      'Whose audit log it hears. null for the events of notes, and for the audit log of the whole server.',
    ),
  status: z.enum(['active', 'paused']),
  pause_reason: z.string().nullable().describe('Why the server paused it. null if it did not.'),
  failing_since: timestamp.nullable().describe('Since when the receiver has accepted nothing.'),
  attempts: z.int().describe('How often the event whose turn it is has failed.'),
  next_attempt_at: timestamp.describe('Before this time nothing is sent.'),
  old_secret_until: timestamp
    .nullable()
    .describe('After a rotation: until when the old secret signs too. null if there was none.'),
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
  old_secret: z.string().nullable(),
  tx: z.int(),
  seq: z.int(),
});
export type SendingWebhook = z.infer<typeof sendingWebhook>;
/** Who answers for a webhook: the person who made or last changed it, and the key of that call, without which it is paused. */
export type WebhookMaker = Pick<SendingWebhook, 'account_id' | 'key_id'>;

/** An event on its way to one webhook. */
export const delivery = z.object({
  id: z.string().describe('The header `webhook-id`. The same for every attempt.'),
  event: z.enum([...webhookEvents, testEvent]),
  resource_id: z
    .string()
    .describe('Id of the note, transcription, recording, job or audit event; of the webhook, for a test.'),
  at: timestamp.describe('When it happened.'),
  attempts: z.int(),
  delivered_at: timestamp.nullable(),
  last_attempt_at: timestamp,
  response_status: z.int().nullable().describe('HTTP status of the last answer. null if there was none.'),
  error: z.string().nullable().describe('Why the last attempt failed.'),
  request_head: z
    .string()
    .nullable()
    .describe('The headers of the last attempt, one on each line, without the signature.'),
  response_head: z
    .string()
    .nullable()
    .describe('Status and headers of the last answer, cut after 1,024 letters, without cookies and secrets.'),
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
export function eventOf({ type, action }: { type: string; action: string }): WebhookEvent | undefined {
  const name = `${type}.${action}`;
  return webhookEvents.find((event) => event === name);
}

/** The owner of webhooks that hear the audit log of the whole server. */
export const wholeServer = 'server';

/** Raises `validation_error` for events that one webhook cannot have. */
export function checkEvents(events: readonly WebhookEvent[], hearsAudit: boolean): void {
  const audits = events.includes(auditRecorded);
  if (audits && events.length > 1)
    throw invalid(
      `events must not have ${auditRecorded} together with others; make a webhook of its own for it.`,
    );
  if (audits && !hearsAudit) throw invalid(`events with ${auditRecorded} need workspace_id or server.`);
  if (!audits && hearsAudit) throw invalid(`events must be ${auditRecorded} for a workspace or the server.`);
}

/** Any one of these scopes is enough to get the event. */
export function scopesToHear(event: WebhookEvent): readonly Scope[] {
  const [, scopes = []] = Object.entries(scopesToSee).find(([type]) => event.startsWith(`${type}.`)) ?? [];
  return scopes;
}

/** The id stays the same whenever the event is sent, even after a crash, so receivers can drop duplicates. */
export function newDelivery(
  webhookId: string,
  event: WebhookEvent,
  { seq, id, at }: Pick<LoggedChange, 'id' | 'at'> & { seq: ChangePosition['seq'] | string },
): SentEvent {
  // The number alone is not enough: a restored backup gives the same numbers out again.
  const name = hash('sha256', [webhookId, seq, event, id, at].join('\n'), 'base64url').slice(0, 32);
  return { id: `msg_${name}`, event, resource_id: id, at };
}

export type SentEvent = Pick<Delivery, 'id' | 'event' | 'resource_id' | 'at'>;

/** Each test has an id of its own. */
export const newTest = (webhookId: string, at: string): SentEvent => ({
  id: `msg_${randomBytes(24).toString('base64url')}`,
  event: testEvent,
  resource_id: webhookId,
  at,
});

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
const signatureHeader = 'webhook-signature';

export const isWebhookSecret = (text: string) => /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(text);
export const newWebhookSecret = () => secretPrefix + randomBytes(32).toString('base64');

/** A request in the form of Standard Webhooks (https://www.standardwebhooks.com). It says what to fetch, or what the audit log says, and holds no text. */
export function signedRequest(
  webhook: Pick<SendingWebhook, 'secret' | 'old_secret' | 'old_secret_until' | 'space_id'>,
  { id, event, resource_id, at }: SentEvent,
  now: number,
  audited?: AuditEvent,
): { headers: Record<string, string>; body: string } {
  const { secret, old_secret, old_secret_until, space_id } = webhook;
  const body = JSON.stringify({
    type: event,
    timestamp: at,
    data: audited ?? { id: resource_id, space_id, ...(event === testEvent && { test: true }) },
  });
  const timestamp = String(Math.floor(now / second));
  const sign = (one: string) =>
    `v1,${createHmac('sha256', Buffer.from(one.slice(secretPrefix.length), 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64')}`;
  const isOldValid = old_secret !== null && Date.parse(old_secret_until ?? '') > now;
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Steno-Webhooks',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      [signatureHeader]: [secret, ...(isOldValid ? [old_secret] : [])].map(sign).join(' '),
    },
    body,
  };
}

/** What a delivery keeps of the headers that were sent. A signature is of no use to a person, so it is left out. */
export const requestHead = (headers: Record<string, string>) =>
  Object.entries(headers)
    .filter(([name]) => name !== signatureHeader)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
