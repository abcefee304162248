import { z } from 'zod';
import { personally } from '../../domain/access.ts';
import { memberRole, member as memberShape } from '../../domain/member.ts';
import { command, wholeList } from '../../kernel/operation.ts';
import * as acts from './acts.ts';

const member = memberShape.meta({ id: 'WorkspaceMember' });

export const listMembers = wholeList({
  http: 'GET /api/workspaces/:id/members',
  access: { credential: 'session' },
  summary: 'List the members of a workspace (open to any member)',
  items: member,
  run: (context, { id }) => acts.listMembers(context, id),
});

export const updateMember = command({
  http: 'PATCH /api/workspaces/:id/members/:user_id',
  access: personally,
  summary: 'Change the role of a member, or stop managing them (to start, send them an invitation)',
  errors: ['conflict'],
  body: z.object({ role: memberRole.exactOptional(), managed: z.boolean().exactOptional() }),
  answer: member,
  audit: ['member.changed'],
  run: (context, { id, user_id, body }) =>
    acts.updateMember(context, { workspaceId: id, userId: user_id }, body),
});

export const removeMember = command({
  http: 'DELETE /api/workspaces/:id/members/:user_id',
  access: personally,
  summary: 'Remove a member from a workspace (any member may remove themselves)',
  errors: ['conflict'],
  query: z.object({
    revoke_keys: z
      .enum(['true', 'false'])
      .default('false')
      .describe('Also revoke the workspace keys they created; only admins may.'),
  }),
  answer: 204,
  audit: ['member.removed'],
  run: (context, { id, user_id, query }) =>
    acts.removeMember(
      context,
      { workspaceId: id, userId: user_id },
      { revokeKeys: query.revoke_keys === 'true' },
    ),
});
