import { notFound } from '../../domain/errors.ts';
import { auditRecorded, type Delivery, type SendingWebhook, type SentEvent } from '../../domain/webhook.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { attempt } from './delivery.ts';
import type { WebhookSender } from './sender.ts';
import { createWebhookTurns } from './turns.ts';

export type WebhookEngine = ReturnType<typeof createWebhookEngine>;

interface Options {
  readonly database: Database;
  readonly sender: WebhookSender;
  readonly clock: Clock;
}

/** The door of the engine that sends events. `createWebhookDelivery` sends in the background what waits. */
export function createWebhookEngine({ database, sender, clock }: Options) {
  const turns = createWebhookTurns(database);
  return {
    sender,
    turns,

    /** Sends an event now, whatever waits. Raises `not_found` if the audit log has forgotten it. */
    async send(to: SendingWebhook, event: SentEvent, attempts: number): Promise<Delivery> {
      if (event.event !== auditRecorded) return attempt({ sender, clock }, to, event, attempts);
      const now = new Date(clock()).toISOString();
      const { event: audited } = await turns.audited(to, event.resource_id, now);
      if (!audited) throw notFound('Audit event');
      return attempt({ sender, clock }, to, event, attempts, audited);
    },
  };
}
