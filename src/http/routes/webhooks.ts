import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import {
  delivery,
  maxWebhooksPerOwner,
  maxWebhookUrlLength,
  webhook,
  webhookEvents,
} from '../../domain/webhook.ts';
import {
  cursor,
  dataOf,
  idInput,
  limit,
  noContent,
  optionalBody,
  pageOf,
  pathId,
  spaceId,
  whole,
} from '../../kernel/schemas.ts';
import type { Webhooks } from '../../services/webhooks.ts';
import { once } from '../idempotency.ts';
import { principalOf } from '../request.ts';
import { graceHours } from './keys.ts';

const shownWebhook = webhook.meta({ id: 'Webhook' });
const shownDelivery = delivery.meta({ id: 'WebhookDelivery' });

const withSecret = webhook.extend({
  secret: z.string().describe('Signs what is sent. It is shown only this once.'),
});

const read = { credential: 'key', personal: 'notes:read', workspace: 'workspace:notes:read' } as const;
const write = { credential: 'key', personal: 'notes:write', workspace: 'workspace:notes:write' } as const;
/** For where events go, and for the secret that signs them: both outlive the session that chose them. */
const writePersonally = { ...write, personally: true } as const;
const description = 'An extension of this server.';
const url = z
  .string()
  .trim()
  .max(maxWebhookUrlLength)
  .describe('Where events are sent, with POST: an https address.');
const events = z
  .array(z.enum(webhookEvents))
  .min(1)
  .transform((names) => [...new Set(names)])
  .describe(
    'Transcriptions and recordings also need the scope `transcriptions:read`. `audit.recorded` stands alone, and needs `workspace_id` or `server`.',
  );
const workspaceId = idInput
  .optional()
  .describe('For the audit log of a workspace: its id. Open to sessions of its admins.');
const server = 'For the audit log of the whole server. Open to sessions of operators.';

export const webhookRoutes =
  (webhooks: Webhooks): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'POST',
      url: '/webhooks',
      config: { idempotent: true, access: writePersonally, errors: ['not_found', 'limit_reached'] },
      schema: {
        operationId: 'createWebhook',
        summary: 'Create a webhook, which gets every event from now on',
        description,
        tags: ['Webhooks'],
        body: z.object({
          url,
          events,
          space_id: spaceId,
          workspace_id: workspaceId,
          server: z.boolean().optional().describe(server),
        }),
        response: {
          201: dataOf(withSecret),
        },
      },
      handler: async (request, reply) =>
        reply
          .code(201)
          .send({ data: await once(request, (as) => webhooks.create(as, request.body), webhooks.get) }),
    });

    app.route({
      method: 'GET',
      url: '/webhooks',
      config: { access: read, tool: 'list_webhooks', errors: ['not_found'] },
      schema: {
        operationId: 'listWebhooks',
        summary: 'List all webhooks, and whether they work',
        description,
        tags: ['Webhooks'],
        querystring: z.object({
          space_id: spaceId,
          workspace_id: workspaceId,
          server: z.enum(['true', 'false']).optional().describe(server),
        }),
        response: {
          200: pageOf(shownWebhook).extend({
            data: z.array(shownWebhook).meta({ maxItems: maxWebhooksPerOwner }),
          }),
        },
      },
      handler: async (request) => ({
        ...whole,
        data: await webhooks.list(principalOf(request), {
          ...request.query,
          server: request.query.server === 'true',
        }),
      }),
    });

    app.route({
      method: 'GET',
      url: '/webhooks/:id',
      config: { access: read },
      schema: {
        operationId: 'getWebhook',
        summary: 'Get a webhook',
        description,
        tags: ['Webhooks'],
        params: pathId,
        response: { 200: dataOf(shownWebhook) },
      },
      handler: async (request) => ({ data: await webhooks.get(principalOf(request), request.params.id) }),
    });

    app.route({
      method: 'PATCH',
      url: '/webhooks/:id',
      config: { access: writePersonally },
      schema: {
        operationId: 'updateWebhook',
        summary: 'Change, pause or resume a webhook; what has waited is sent at once',
        description,
        tags: ['Webhooks'],
        params: pathId,
        body: optionalBody(
          z.object({
            url: url.exactOptional(),
            events: events.exactOptional(),
            status: z.enum(['active', 'paused']).exactOptional(),
          }),
        ),
        response: { 200: dataOf(shownWebhook) },
      },
      handler: async (request) => ({
        data: await webhooks.update(principalOf(request), request.params.id, request.body),
      }),
    });

    app.route({
      method: 'DELETE',
      url: '/webhooks/:id',
      config: { access: write },
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook; what has not been sent is not sent any more',
        description,
        tags: ['Webhooks'],
        params: pathId,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await webhooks.remove(principalOf(request), request.params.id);
        return reply.code(204).send();
      },
    });

    app.route({
      method: 'POST',
      url: '/webhooks/:id/test',
      config: { access: write, cost: 5 },
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a test event and get the result',
        description:
          'An extension of this server. A real request, signed like any other, with the type `webhook.test`, also if the webhook is paused.',
        tags: ['Webhooks'],
        params: pathId,
        response: { 200: dataOf(shownDelivery) },
      },
      handler: async (request) => ({ data: await webhooks.test(principalOf(request), request.params.id) }),
    });

    app.route({
      method: 'POST',
      url: '/webhooks/:id/rotate',
      config: { idempotent: true, access: writePersonally },
      schema: {
        operationId: 'rotateWebhook',
        summary: 'Give a webhook a new secret; the old one signs as well for a while',
        description: 'An extension of this server. While both sign, `webhook-signature` has two signatures.',
        tags: ['Webhooks'],
        params: pathId,
        body: graceHours,
        response: { 200: dataOf(withSecret) },
      },
      handler: async (request) => ({
        data: await once(
          request,
          (as) => webhooks.rotate(as, request.params.id, request.body.grace_hours),
          webhooks.get,
        ),
      }),
    });

    app.route({
      method: 'GET',
      url: '/webhooks/:id/deliveries',
      config: { access: read, tool: 'list_webhook_deliveries' },
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'List what was sent to a webhook in the last seven days, the last attempt first',
        description,
        tags: ['Webhooks'],
        params: pathId,
        querystring: z.object({ limit: limit(500, 50), cursor }),
        response: { 200: pageOf(shownDelivery) },
      },
      handler: (request) => webhooks.deliveries(principalOf(request), request.params.id, request.query),
    });

    app.route({
      method: 'POST',
      url: '/webhooks/:id/deliveries/:delivery_id/redeliver',
      config: { access: write, cost: 5 },
      schema: {
        operationId: 'redeliverWebhook',
        summary: 'Send an event again and get the result',
        description: 'An extension of this server. Counts as 5 requests.',
        tags: ['Webhooks'],
        params: pathId.extend({ delivery_id: z.string() }),
        response: { 200: dataOf(shownDelivery) },
      },
      handler: async (request) => ({
        data: await webhooks.redeliver(principalOf(request), request.params.id, request.params.delivery_id),
      }),
    });
  };
