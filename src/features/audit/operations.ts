import { list, stream } from '../../kernel/operation.ts';
import { listEvents } from './acts.ts';
import { csvAnswer, sendCsv } from './csv.ts';
import { auditEvent, filterOf, maxEvents, paging, serverFilters } from './schema.ts';

/** The log of the server, for its operators, who may read all of it: it holds no text and no secret. */
const access = { credential: 'operator' } as const;

export const listAuditEvents = list({
  http: 'GET /api/audit',
  access,
  summary: 'Who did what on this server, the newest first',
  query: serverFilters.extend(paging),
  items: auditEvent,
  list: 'audit',
  limit: maxEvents,
  run: (context, { query, page }) =>
    listEvents(context, { ...filterOf(query), workspaceId: query.workspace_id }, page),
});

export const downloadAuditEvents = stream({
  http: 'GET /api/audit/csv',
  access,
  summary: 'Who did what on this server, as CSV',
  query: serverFilters,
  ...csvAnswer,
  run: async (context, { query }) =>
    sendCsv(context, { ...filterOf(query), workspaceId: query.workspace_id }),
});
