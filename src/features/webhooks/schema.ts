import { z } from 'zod';
import { delivery, maxWebhookUrlLength, webhook, webhookEvents } from '../../domain/webhook.ts';
import { idInput } from '../../kernel/schemas.ts';

export const shownWebhook = webhook.meta({ id: 'Webhook' });
export const shownDelivery = delivery.meta({ id: 'WebhookDelivery' });
export const withSecret = webhook.extend({
  secret: z.string().describe('Signs what is sent. It is shown only this once.'),
});

export const url = z
  .string()
  .trim()
  .max(maxWebhookUrlLength)
  .describe('Where events are sent, with POST: an https address.');
export const events = z
  .array(z.enum(webhookEvents))
  .min(1)
  .transform((names) => [...new Set(names)])
  .describe(
    'Transcriptions and recordings also need the scope `transcriptions:read`. `audit.recorded` stands alone, and needs `workspace_id` or `server`.',
  );
export const workspaceId = idInput
  .optional()
  .describe('For the audit log of a workspace: its id. Open to sessions of its admins.');
export const server = 'For the audit log of the whole server. Open to sessions of operators.';
