import { z } from 'zod';
import { id, timestamp } from './fields.ts';
import { memberRole } from './member.ts';
import { planNames } from './plans.ts';

export const workspace = z.object({ id, name: z.string(), plan: z.enum(planNames), created_at: timestamp });
export type Workspace = z.infer<typeof workspace>;

/** A workspace as a member sees it. */
export const joinedWorkspace = workspace.extend({ role: memberRole.describe('Your own role.') });
export type JoinedWorkspace = z.infer<typeof joinedWorkspace>;

export const maxWorkspaceNameLength = 100;
