import { z } from 'zod';
import { personally } from '../../domain/access.ts';
import { workspacePolicy } from '../../domain/policy.ts';
import { joinedWorkspace, maxWorkspaceNameLength } from '../../domain/workspace.ts';
import { command, query, reread, wholeList } from '../../kernel/operation.ts';
import * as acts from './acts.ts';
import * as queries from './queries.ts';

const access = { credential: 'session' } as const;
const policy = workspacePolicy.meta({ id: 'WorkspacePolicy' });

export const listWorkspaces = wholeList({
  http: 'GET /api/workspaces',
  access,
  summary: 'List your workspaces',
  items: joinedWorkspace,
  run: ({ db, who }) => queries.joinedBy(db, who.userId),
});

export const createWorkspace = command({
  http: 'POST /api/workspaces',
  access,
  summary: 'Create a workspace and become its first admin',
  body: z.object({ name: z.string().trim().min(1).max(maxWorkspaceNameLength) }),
  answer: [201, joinedWorkspace],
  errors: ['not_found'],
  audit: ['workspace.created'],
  once: reread(async ({ db, who }, id) =>
    (await queries.joinedBy(db, who.userId)).find((joined) => joined.id === id),
  ),
  run: (context, { body }) => acts.createWorkspace(context, context.who, body),
});

export const getWorkspacePolicy = query({
  http: 'GET /api/workspaces/:id/policy',
  access,
  summary: 'Get the policy of a workspace (open to any member)',
  answer: policy,
  run: (context, { id }) => acts.readPolicy(context, id),
});

export const updateWorkspacePolicy = command({
  http: 'PATCH /api/workspaces/:id/policy',
  access: personally,
  summary: 'Change the policy of a workspace from the next call on; fields that you leave out stay the same',
  body: workspacePolicy.exactPartial(),
  answer: policy,
  audit: ['policy.changed'],
  run: (context, { id, body }) => acts.updatePolicy(context, id, body),
});
