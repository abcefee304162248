import { z } from 'zod';
import { forbidden, invalid, notFound } from '../../domain/errors.ts';
import type { Principal } from '../../domain/principal.ts';
import { minuteMs } from '../../domain/rate-limit.ts';
import {
  auditRecorded,
  checkEvents,
  maxWebhooksPerOwner,
  newTest,
  newWebhookSecret,
  scopesToHear,
  type WebhookEvent,
  wholeServer,
} from '../../domain/webhook.ts';
import { keepDeliveries } from '../../engines/webhooks/turns.ts';
import type { Reach } from '../../kernel/authorized.ts';
import type { Context } from '../../kernel/context.ts';
import { command, list, query, rereadWith, stream, wholeList } from '../../kernel/operation.ts';
import { graceHours, optionalBody, pageOf, pathId, spaceId } from '../../kernel/schemas.ts';
import { isoAfter } from '../../lib/clock.ts';
import { type Owner, ownerOf, requireRole } from '../workspaces/access.ts';
import * as acts from './acts.ts';
import * as queries from './queries.ts';
import { events, server, shownDelivery, shownWebhook, url, withSecret, workspaceId } from './schema.ts';

const read = { credential: 'key', personal: 'notes:read', workspace: 'workspace:notes:read' } as const;
const write = { credential: 'key', personal: 'notes:write', workspace: 'workspace:notes:write' } as const;
/** For where events go, and for the secret that signs them: both outlive the session that chose them. */
const writePersonally = { ...write, personally: true } as const;
const description = 'An extension of this server.';
/** Whose events: of a space, the audit log of a workspace or of the whole server, and if none is named, the caller's own. */
interface Place {
  space_id?: string | undefined;
  workspace_id?: string | undefined;
  server?: boolean | undefined;
}

/** Raises `validation_error`, `not_found` and `forbidden`. */
async function ownerAt(reach: Reach, { space_id, workspace_id, server }: Place): Promise<Owner> {
  if (workspace_id === undefined && !server) return ownerOf(reach, space_id);
  if ([space_id, workspace_id, server || undefined].filter((given) => given !== undefined).length > 1)
    throw invalid('Only one of space_id, workspace_id and server can be given.');
  const by = acts.webhookReach(reach.who);
  if (by.kind !== 'session')
    throw forbidden('Webhooks of an audit log need a session; sign in to the console.');
  if (workspace_id !== undefined) {
    await requireRole(reach, workspace_id, 'admin');
    return { ownerId: workspace_id, spaceId: null };
  }
  if (!by.isOperator) throw forbidden('This is for operators of the server.');
  return { ownerId: wholeServer, spaceId: null };
}

/** A key gets no event of a resource that it may not read. */
function checkScopes({ scopes }: Principal, events: readonly WebhookEvent[]): void {
  for (const event of events.filter((one) => one !== auditRecorded)) {
    const needed = scopesToHear(event);
    if (!needed.some((scope) => scopes.includes(scope)))
      throw forbidden(`This key lacks the scope ${needed.join(' or ')}; ${event} needs it.`);
  }
}

/** Looks the address up, so it runs before a transaction. */
async function checkUrl({ parts }: Context, url: string): Promise<void> {
  const fault = await parts.webhooks.sender.findFault(url);
  if (fault !== null) throw invalid(`url ${fault}.`);
}

const makerOf = ({ userId, key }: Principal) => ({ account_id: userId, key_id: key?.id ?? null });

export const createWebhook = command({
  http: 'POST /api/v1/webhooks',
  access: writePersonally,
  summary: 'Create a webhook, which gets every event from now on',
  description,
  body: z.object({
    url,
    events,
    space_id: spaceId,
    workspace_id: workspaceId,
    server: z.boolean().optional().describe(server),
  }),
  answer: [201, withSecret],
  errors: ['not_found', 'limit_reached'],
  audit: ['webhook.created'],
  once: rereadWith<z.input<typeof withSecret>, 'secret'>(acts.own, ['secret']),
  async prepare(context, { body }) {
    checkEvents(body.events, body.workspace_id !== undefined || body.server === true);
    checkScopes(context.who, body.events);
    await ownerAt(context, body);
    await checkUrl(context, body.url);
  },
  async run(context, { body }) {
    const { who, now, newId } = context;
    const { ownerId, spaceId } = await ownerAt(context, body);
    const made = {
      id: newId(),
      owner_id: ownerId,
      space_id: spaceId,
      workspace_id: body.workspace_id ?? null,
      url: body.url,
      events: body.events,
      secret: newWebhookSecret(),
      old_secret_until: null,
      ...makerOf(who),
      status: 'active' as const,
      pause_reason: null,
      failing_since: null,
      attempts: 0,
      next_attempt_at: now,
      created_at: now,
      updated_at: now,
    };
    await acts.add(context, made);
    return made;
  },
});

export const listWebhooks = wholeList({
  http: 'GET /api/v1/webhooks',
  tool: 'list_webhooks',
  access: read,
  summary: 'List all webhooks, and whether they work',
  description,
  query: z.object({
    space_id: spaceId,
    workspace_id: workspaceId,
    server: z.enum(['true', 'false']).optional().describe(server),
  }),
  items: shownWebhook,
  responses: {
    200: pageOf(shownWebhook).extend({
      data: z.array(shownWebhook).meta({ maxItems: maxWebhooksPerOwner }),
    }),
  },
  errors: ['not_found'],
  async run(context, { query }) {
    const { ownerId } = await ownerAt(context, { ...query, server: query.server === 'true' });
    return queries.ofOwner(context.db, ownerId);
  },
});

export const getWebhook = query({
  http: 'GET /api/v1/webhooks/:id',
  access: read,
  summary: 'Get a webhook',
  description,
  answer: shownWebhook,
  run: (context, { id }) => acts.own(context, id),
});

/** From now on the webhook belongs to this caller's key, if it is one. */
export const updateWebhook = command({
  http: 'PATCH /api/v1/webhooks/:id',
  access: writePersonally,
  summary: 'Change, pause or resume a webhook; what has waited is sent at once',
  description,
  body: optionalBody(
    z.object({
      url: url.exactOptional(),
      events: events.exactOptional(),
      status: z.enum(['active', 'paused']).exactOptional(),
    }),
  ),
  answer: shownWebhook,
  audit: ['webhook.changed'],
  locks: true,
  async prepare(context, { id, body }) {
    checkScopes(context.who, body.events ?? []);
    const { events } = await acts.own(context, id);
    checkEvents(body.events ?? events, events.includes(auditRecorded));
    if (body.url !== undefined) await checkUrl(context, body.url);
  },
  async run(context, { id, body }) {
    const found = await acts.own(context, id);
    if (Object.keys(body).length === 0) return found;
    return acts.change(context, found, { ...body, ...makerOf(context.who) });
  },
});

export const deleteWebhook = command({
  http: 'DELETE /api/v1/webhooks/:id',
  access: write,
  summary: 'Delete a webhook; what has not been sent is not sent any more',
  description,
  answer: 204,
  audit: ['webhook.removed'],
  locks: true,
  async run(context, { id }) {
    const found = await acts.own(context, id);
    if (!(await queries.remove(context.tx, found))) throw notFound('Webhook');
    await acts.record(context, 'webhook.removed', found);
  },
});

export const testWebhook = stream({
  http: 'POST /api/v1/webhooks/:id/test',
  access: write,
  cost: 5,
  summary: 'Send a test event and get the result',
  description:
    'An extension of this server. A real request, signed like any other, with the type `webhook.test`, also if the webhook is paused.',
  answer: shownDelivery,
  async run(context, { id }) {
    const found = await acts.own(context, id);
    const sent = await context.parts.webhooks.send(found, newTest(id, context.now), 0);
    await context.act(async (again) => keepDeliveries(again.tx, (await acts.own(again, id)).id, [sent]), {
      locks: true,
    });
    return sent;
  },
});

export const rotateWebhook = command({
  http: 'POST /api/v1/webhooks/:id/rotate',
  access: writePersonally,
  summary: 'Give a webhook a new secret; the old one signs as well for a while',
  description: 'An extension of this server. While both sign, `webhook-signature` has two signatures.',
  body: graceHours,
  answer: withSecret,
  audit: ['webhook.rotated'],
  once: rereadWith<z.input<typeof withSecret>, 'secret'>(acts.own, ['secret']),
  locks: true,
  async run(context, { id, body: { grace_hours: hours } }) {
    const { tx, now } = context;
    const secret = newWebhookSecret();
    const until = hours === 0 ? null : isoAfter(now, hours * 60 * minuteMs);
    const after = await queries.rotate(tx, await acts.own(context, id), { secret, until }, now);
    if (!after) throw notFound('Webhook');
    await acts.record(context, 'webhook.rotated', after);
    return { ...after, secret };
  },
});

export const listWebhookDeliveries = list({
  http: 'GET /api/v1/webhooks/:id/deliveries',
  tool: 'list_webhook_deliveries',
  access: read,
  summary: 'List what was sent to a webhook in the last seven days, the last attempt first',
  description,
  items: shownDelivery,
  list: 'deliveries',
  limit: [500, 50],
  placeOf: ({ last_attempt_at }) => ({ at: last_attempt_at }),
  run: async (context, { id, page }) => queries.deliveries(context.db, await acts.own(context, id), page),
});

export const redeliverWebhook = stream({
  http: 'POST /api/v1/webhooks/:id/deliveries/:delivery_id/redeliver',
  access: write,
  cost: 5,
  summary: 'Send an event again and get the result',
  description: 'An extension of this server. Counts as 5 requests.',
  // Ids of deliveries have capital letters.
  params: pathId.extend({ delivery_id: z.string() }),
  answer: shownDelivery,
  async run(context, { id, delivery_id }) {
    const found = await acts.own(context, id);
    const before = await queries.findDelivery(context.db, found, delivery_id);
    if (!before) throw notFound('Delivery');
    const sent = await context.parts.webhooks.send(found, before, before.attempts);
    await context.act(
      async (again) => {
        const { tx } = again;
        const to = await acts.own(again, id);
        await queries.updateDelivery(tx, { ...sent, delivered_at: sent.delivered_at ?? before.delivered_at });
        const isBack = sent.delivered_at !== null && to.failing_since !== null;
        // An empty change makes the waiting events go out at once.
        if (isBack && to.status === 'active') await acts.change(again, to, {});
      },
      { locks: true },
    );
    return sent;
  },
});
