import type { PlanName } from './plans.ts';
import type { Workspace } from './space.ts';

export const workspaceRoles = ['admin', 'member'] as const;
export type WorkspaceRole = (typeof workspaceRoles)[number];

export interface WorkspaceMember {
  user_id: string;
  email: string | null;
  name: string;
  role: WorkspaceRole;
  /** Whether the workspace's policy holds for the person. */
  managed: boolean;
  created_at: string;
}

/** A workspace as one of its members sees it. */
export interface JoinedWorkspace extends Workspace {
  plan: PlanName;
  role: WorkspaceRole;
}
