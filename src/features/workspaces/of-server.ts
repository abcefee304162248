import { z } from 'zod';
import { seenWorkspace } from '../../domain/person.ts';
import { planNames } from '../../domain/plans.ts';
import { workspace } from '../../domain/workspace.ts';
import { command, list } from '../../kernel/operation.ts';
import { setPlan } from './acts.ts';
import * as queries from './queries.ts';

/** All workspaces of the server, for its operators. */
const access = { credential: 'operator' } as const;

export const listAllWorkspaces = list({
  http: 'GET /api/operator/workspaces',
  access,
  summary: 'All workspaces, the newest first',
  items: seenWorkspace.meta({ id: 'SeenWorkspace' }),
  list: 'workspaces',
  limit: [100, 50],
  run: ({ db, now }, { page }) => queries.pageOfAll(db, page, now),
});

export const updateAnyWorkspace = command({
  http: 'PATCH /api/operator/workspaces/:id',
  access,
  summary: 'Change the plan of a workspace',
  errors: ['not_found'],
  body: z.object({ plan: z.enum(planNames) }),
  answer: workspace.meta({ id: 'GovernedWorkspace' }),
  audit: ['workspace.changed'],
  run: (context, { id, body }) => setPlan(context, id, body.plan),
});
