import { Readable } from 'node:stream';
import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { personally } from '../../domain/access.ts';
import { auditActs, auditEvent } from '../../domain/audit.ts';
import { cursor, idInput, instant, limit, pageOf, pathId } from '../../kernel/schemas.ts';
import type { Audit } from '../../services/audit.ts';
import { principalOf } from '../request.ts';

const shownEvent = auditEvent.meta({ id: 'AuditEvent' });
const forOperators = { access: { credential: 'operator' } } as const;
const forAdmins = { access: personally, errors: ['not_found', 'forbidden'] } as const;
const filters = z.object({
  act: z.enum(auditActs).optional().describe('Only events of this kind.'),
  actor_id: idInput.optional().describe('Only what this account did.'),
  since: instant.optional().describe('Only events from this time on.'),
  until: instant.optional().describe('Only events before this time.'),
});
const workspaceId = { workspace_id: idInput.optional().describe('Only what happened in this workspace.') };
const page = { limit: limit(100, 50), cursor };

/** Everyone who may read the log may read all of it: it holds no text and no secret. */
export const auditRoutes =
  (audit: Audit): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/audit',
      config: forOperators,
      schema: {
        operationId: 'listAuditEvents',
        summary: 'Who did what on this server, the newest first',
        tags: ['Operator'],
        querystring: filters.extend({ ...workspaceId, ...page }),
        response: { 200: pageOf(shownEvent) },
      },
      handler: async ({ query }) => audit.list({ ...named(query), workspaceId: query.workspace_id }, query),
    });

    app.route({
      method: 'GET',
      url: '/audit/csv',
      config: { ...forOperators, cost: 5, csv: true },
      schema: {
        operationId: 'downloadAuditEvents',
        summary: 'Who did what on this server, as CSV',
        tags: ['Operator'],
        querystring: filters.extend(workspaceId),
        response: { 200: z.string() },
      },
      handler: async ({ query, method }, reply) =>
        send(reply, method, audit.csv({ ...named(query), workspaceId: query.workspace_id })),
    });

    app.route({
      method: 'GET',
      url: '/workspaces/:id/audit',
      config: forAdmins,
      schema: {
        operationId: 'listWorkspaceAuditEvents',
        summary: 'Who did what in a workspace, the newest first (open to its admins)',
        tags: ['Workspaces'],
        params: pathId,
        querystring: filters.extend(page),
        response: { 200: pageOf(shownEvent) },
      },
      handler: async (request) =>
        audit.listOf(principalOf(request), request.params.id, {
          ...named(request.query),
          limit: request.query.limit,
          cursor: request.query.cursor,
        }),
    });

    app.route({
      method: 'GET',
      url: '/workspaces/:id/audit/csv',
      config: { ...forAdmins, cost: 5, csv: true },
      schema: {
        operationId: 'downloadWorkspaceAuditEvents',
        summary: 'Who did what in a workspace, as CSV (open to its admins)',
        tags: ['Workspaces'],
        params: pathId,
        querystring: filters,
        response: { 200: z.string() },
      },
      handler: async (request, reply) =>
        send(
          reply,
          request.method,
          await audit.csvOf(principalOf(request), request.params.id, named(request.query)),
        ),
    });
  };

const named = ({ act, actor_id: actorId, since, until }: z.infer<typeof filters>) => ({
  act,
  actorId,
  since,
  until,
});

function send(reply: FastifyReply, method: string, lines: AsyncIterable<string>) {
  reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', 'attachment; filename="steno-audit.csv"');
  // A stream is sent as it is; a schema cannot describe one. Fastify would read it to its end for HEAD.
  return reply.send((method === 'HEAD' ? '' : Readable.from(lines)) as unknown as string);
}
