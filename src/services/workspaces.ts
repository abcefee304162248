import type { StoredApiKey } from '../domain/api-key.ts';
import { parseEmail } from '../domain/email.ts';
import { AppError, notFound } from '../domain/errors.ts';
import type { PlanName } from '../domain/plans.ts';
import type { Principal } from '../domain/principal.ts';
import { type Space, slugOf } from '../domain/space.ts';
import type { JoinedWorkspace, WorkspaceMember, WorkspaceRole } from '../domain/workspace.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { SpaceChanges, Store } from '../ports/store.ts';
import type { IssuedKey, Keys } from './keys.ts';

interface Dependencies {
  store: Store;
  clock: Clock;
  newId: NewId;
  keys: Keys;
  defaultPlan: PlanName;
}

export interface WorkspaceKeyDraft {
  name: string;
  scopes: readonly string[];
  expires_in_days?: number | undefined;
  description?: string | null | undefined;
}

export type Workspaces = ReturnType<typeof createWorkspaces>;

/**
 * A team run by its own people. Every function that takes a workspace raises `not_found` for those who are not in it and,
 * unless it says "members may", `forbidden` for those who are not its admins.
 */
export function createWorkspaces({ store, clock, newId, keys, defaultPlan }: Dependencies) {
  const now = () => new Date(clock()).toISOString();

  async function asMember({ userId }: Principal, workspaceId: string): Promise<WorkspaceRole> {
    const role = await store.workspaces.roleOf(workspaceId, userId);
    if (!role) throw notFound('Workspace');
    return role;
  }

  async function asAdmin(principal: Principal, workspaceId: string): Promise<void> {
    if ((await asMember(principal, workspaceId)) !== 'admin')
      throw new AppError('forbidden', 'Only an admin of this workspace may do this; ask one of them.');
  }

  async function memberOf(workspaceId: string, userId: string): Promise<WorkspaceMember> {
    const members = await store.workspaces.listMembers(workspaceId);
    const member = members.find(({ user_id }) => user_id === userId);
    if (!member) throw notFound('Member');
    return member;
  }

  async function changeMember(
    workspaceId: string,
    userId: string,
    role: WorkspaceRole | null,
  ): Promise<void> {
    const outcome = await store.workspaces.changeMember(workspaceId, userId, role);
    if (outcome === 'not found') throw notFound('Member');
    if (outcome === 'last admin')
      throw new AppError(
        'conflict',
        'This is the last admin of the workspace; make someone else admin first.',
      );
  }

  return {
    list: (principal: Principal): Promise<JoinedWorkspace[]> => store.workspaces.listJoined(principal.userId),

    /** Whoever makes a workspace is its first admin. */
    async create(principal: Principal, draft: { name: string }): Promise<JoinedWorkspace> {
      const workspace = { id: newId(), name: draft.name, plan: defaultPlan, created_at: now() };
      await store.workspaces.insert(workspace, principal.userId);
      return { ...workspace, role: 'admin' };
    },

    /** Members may. */
    async listMembers(principal: Principal, workspaceId: string): Promise<WorkspaceMember[]> {
      await asMember(principal, workspaceId);
      return store.workspaces.listMembers(workspaceId);
    },

    /** Raises `not_found` for an address without an account, `conflict` for a member. */
    async addMember(
      principal: Principal,
      workspaceId: string,
      draft: { email: string; role: WorkspaceRole },
    ): Promise<WorkspaceMember> {
      await asAdmin(principal, workspaceId);
      const user = await store.users.find(parseEmail(draft.email));
      if (!user) throw notFound('User');
      const outcome = await store.workspaces.addMember({
        workspace_id: workspaceId,
        user_id: user.id,
        role: draft.role,
        created_at: now(),
      });
      if (outcome === 'conflict')
        throw new AppError('conflict', 'This person is a member of the workspace already.');
      return memberOf(workspaceId, user.id);
    },

    /** Raises `not_found`, and `conflict` when no admin would be left. */
    async setRole(
      principal: Principal,
      workspaceId: string,
      userId: string,
      role: WorkspaceRole,
    ): Promise<WorkspaceMember> {
      await asAdmin(principal, workspaceId);
      await changeMember(workspaceId, userId, role);
      return memberOf(workspaceId, userId);
    },

    /** Raises `not_found`, and `conflict` when no admin would be left. */
    async removeMember(principal: Principal, workspaceId: string, userId: string): Promise<void> {
      await asAdmin(principal, workspaceId);
      await changeMember(workspaceId, userId, null);
    },

    /** Members may. Archived ones are left out. */
    async listSpaces(principal: Principal, workspaceId: string): Promise<Space[]> {
      await asMember(principal, workspaceId);
      return store.workspaces.listSpaces(workspaceId);
    },

    async createSpace(
      principal: Principal,
      workspaceId: string,
      draft: { name: string; description?: string | null | undefined; emoji?: string | null | undefined },
    ): Promise<Space> {
      await asAdmin(principal, workspaceId);
      return store.workspaces.insertSpace(workspaceId, newSpace(draft, newId(), now()));
    },

    /** Only the given members change; the slug stays. Raises `not_found`. */
    async updateSpace(
      principal: Principal,
      workspaceId: string,
      spaceId: string,
      changes: SpaceChanges,
    ): Promise<Space> {
      await asAdmin(principal, workspaceId);
      const space = await store.workspaces.updateSpace(spaceId, changes, now(), workspaceId);
      if (!space) throw notFound('Space');
      return space;
    },

    /** Raises `not_found`, also the second time. */
    async archiveSpace(principal: Principal, workspaceId: string, spaceId: string): Promise<void> {
      await asAdmin(principal, workspaceId);
      if (!(await store.workspaces.archiveSpace(spaceId, now(), workspaceId))) throw notFound('Space');
    },

    async listKeys(principal: Principal, workspaceId: string): Promise<StoredApiKey[]> {
      await asAdmin(principal, workspaceId);
      return keys.listOf({ workspaceId });
    },

    async createKey(principal: Principal, workspaceId: string, draft: WorkspaceKeyDraft): Promise<IssuedKey> {
      await asAdmin(principal, workspaceId);
      return keys.issue({
        kind: 'workspace',
        userId: principal.userId,
        workspaceId,
        name: draft.name,
        scopes: draft.scopes,
        expiresInDays: draft.expires_in_days,
        description: draft.description,
      });
    },

    /** Raises `not_found`; revoking twice is fine. */
    async revokeKey(principal: Principal, workspaceId: string, keyId: string): Promise<void> {
      await asAdmin(principal, workspaceId);
      await keys.revokeOf({ workspaceId }, keyId);
    },
  };
}

/** A space as it starts; the store sees to it that its slug is free. */
export function newSpace(
  draft: { name: string; description?: string | null | undefined; emoji?: string | null | undefined },
  id: string,
  now: string,
): Space {
  return {
    id,
    name: draft.name,
    slug: slugOf(draft.name),
    description: draft.description ?? null,
    emoji: draft.emoji ?? null,
    created_at: now,
    updated_at: now,
  };
}
