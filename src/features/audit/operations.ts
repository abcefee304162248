import { Readable } from 'node:stream';
import { z } from 'zod';
import { personally } from '../../domain/access.ts';
import type { AuditFilter } from '../../domain/audit.ts';
import type { StreamContext } from '../../kernel/context.ts';
import { list, stream } from '../../kernel/operation.ts';
import { requireRole } from '../workspaces/access.ts';
import { eventsAsCsv, listEvents } from './acts.ts';
import { auditEvent, filterOf, filters, maxEvents, paging, serverFilters } from './schema.ts';

/** The log of the server, for its operators, who may read all of it: it holds no text and no secret. */
const access = { credential: 'operator' } as const;
const errors = ['not_found', 'forbidden'] as const;
/** What both lists declare, and both downloads. */
const pages = { items: auditEvent, list: 'audit', limit: maxEvents } as const;
const csv = { cost: 5, answer: z.string(), responses: { 200: z.string() }, wire: { csv: true } } as const;

function sendCsv(context: StreamContext, filter: AuditFilter) {
  const { reply, request } = context;
  reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', 'attachment; filename="steno-audit.csv"');
  // Fastify would read a stream to its end for HEAD.
  return reply.send(request.method === 'HEAD' ? '' : Readable.from(eventsAsCsv(context, filter)));
}

export const listAuditEvents = list({
  http: 'GET /api/audit',
  access,
  summary: 'Who did what on this server, the newest first',
  query: serverFilters.extend(paging),
  ...pages,
  run: (context, { query, page }) => listEvents(context, filterOf(query, query.workspace_id), page),
});

export const downloadAuditEvents = stream({
  http: 'GET /api/audit/csv',
  access,
  summary: 'Who did what on this server, as CSV',
  query: serverFilters,
  ...csv,
  run: async (context, { query }) => sendCsv(context, filterOf(query, query.workspace_id)),
});

export const listWorkspaceAuditEvents = list({
  http: 'GET /api/workspaces/:id/audit',
  access: personally,
  summary: 'Who did what in a workspace, the newest first (open to its admins)',
  errors,
  query: filters.extend(paging),
  ...pages,
  async run(context, { id, query, page }) {
    await requireRole(context, id, 'admin');
    return listEvents(context, filterOf(query, id), page);
  },
});

export const downloadWorkspaceAuditEvents = stream({
  http: 'GET /api/workspaces/:id/audit/csv',
  access: personally,
  summary: 'Who did what in a workspace, as CSV (open to its admins)',
  errors,
  query: filters,
  ...csv,
  async run(context, { id, query }) {
    await requireRole(context, id, 'admin');
    return sendCsv(context, filterOf(query, id));
  },
});
