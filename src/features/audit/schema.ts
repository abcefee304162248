import { z } from 'zod';
import { type AuditFilter, auditActs, auditEvent as eventShape } from '../../domain/audit.ts';
import { cursor, idInput, instant, limit } from '../../kernel/schemas.ts';

export const auditEvent = eventShape.meta({ id: 'AuditEvent' });

export const filters = z.object({
  act: z.enum(auditActs).optional().describe('Only events of this kind.'),
  actor_id: idInput.optional().describe('Only what this account did.'),
  since: instant.optional().describe('Only events from this time on.'),
  until: instant.optional().describe('Only events before this time.'),
});
export const serverFilters = filters.extend({
  workspace_id: idInput.optional().describe('Only what happened in this workspace.'),
});

/** The lists describe their paging after the filters. */
export const maxEvents = [100, 50] as const;
export const paging = { limit: limit(...maxEvents), cursor };

export const filterOf = (
  { act, actor_id: actorId, since, until }: z.output<typeof filters>,
  workspaceId: string | undefined,
): AuditFilter => ({ act, actorId, since, until, workspaceId });
