import { z } from 'zod';
import { id, timestamp } from './fields.ts';
import { memberRole, membership } from './member.ts';
import { planNames } from './plans.ts';
import { workspacePolicy } from './policy.ts';

export const workspace = z.object({ id, name: z.string(), plan: z.enum(planNames), created_at: timestamp });
export type Workspace = z.infer<typeof workspace>;

/** A workspace as a member sees it. */
export const joinedWorkspace = workspace
  .extend({
    role: memberRole.describe('Your own role.'),
    managed: membership.shape.managed.describe('Whether the workspace manages you.'),
    policy: workspacePolicy.describe('What it turns off for its managed members.'),
  })
  .meta({ id: 'Workspace' });
export type JoinedWorkspace = z.infer<typeof joinedWorkspace>;

export const maxWorkspaceNameLength = 100;
