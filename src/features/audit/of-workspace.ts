import { personally } from '../../domain/access.ts';
import { list, stream } from '../../kernel/operation.ts';
import { requireRole } from '../workspaces/access.ts';
import { listEvents } from './acts.ts';
import { csvAnswer, sendCsv } from './csv.ts';
import { auditEvent, filterOf, filters, maxEvents, paging } from './schema.ts';

const errors = ['not_found', 'forbidden'] as const;

export const listWorkspaceAuditEvents = list({
  http: 'GET /api/workspaces/:id/audit',
  access: personally,
  summary: 'Who did what in a workspace, the newest first (open to its admins)',
  errors,
  query: filters.extend(paging),
  items: auditEvent,
  list: 'audit',
  limit: maxEvents,
  async run(context, { id, query, page }) {
    await requireRole(context, id, 'admin');
    return listEvents(context, { ...filterOf(query), workspaceId: id }, page);
  },
});

export const downloadWorkspaceAuditEvents = stream({
  http: 'GET /api/workspaces/:id/audit/csv',
  access: personally,
  summary: 'Who did what in a workspace, as CSV (open to its admins)',
  errors,
  query: filters,
  ...csvAnswer,
  async run(context, { id, query }) {
    await requireRole(context, id, 'admin');
    return sendCsv(context, { ...filterOf(query), workspaceId: id });
  },
});
