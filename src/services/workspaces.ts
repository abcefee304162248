import type { StoredKey } from '../domain/api-key.ts';
import { parseEmail } from '../domain/email.ts';
import { AppError, notFound } from '../domain/errors.ts';
import type { Member, MemberChanges, MemberRole } from '../domain/member.ts';
import type { PlanName } from '../domain/plans.ts';
import type { Policy } from '../domain/policy.ts';
import type { Principal } from '../domain/principal.ts';
import { type Space, type SpaceChanges, slugOf } from '../domain/space.ts';
import type { JoinedWorkspace } from '../domain/workspace.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { PolicyChanges, Store } from '../ports/store.ts';
import type { IssuedKey, Keys } from './keys.ts';
import type { Members } from './members.ts';
import type { Policies } from './policies.ts';

interface Dependencies {
  store: Store;
  clock: Clock;
  newId: NewId;
  keys: Keys;
  members: Members;
  policies: Policies;
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
export function createWorkspaces(dependencies: Dependencies) {
  const { store, clock, newId, keys, members, policies, defaultPlan } = dependencies;
  const now = () => new Date(clock()).toISOString();

  async function asMember({ userId }: Principal, workspaceId: string): Promise<MemberRole> {
    const role = await store.workspaces.roleOf(workspaceId, userId);
    if (!role) throw notFound('Workspace');
    return role;
  }

  async function asAdmin(principal: Principal, workspaceId: string): Promise<void> {
    if ((await asMember(principal, workspaceId)) !== 'admin')
      throw new AppError('forbidden', 'Only an admin of this workspace may do this; ask one of them.');
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
    async listMembers(principal: Principal, workspaceId: string): Promise<Member[]> {
      await asMember(principal, workspaceId);
      return members.list(workspaceId);
    },

    /** Raises `not_found` for an address without an account, `conflict` for a member. */
    async addMember(
      principal: Principal,
      workspaceId: string,
      draft: { email: string; role: MemberRole },
    ): Promise<Member> {
      await asAdmin(principal, workspaceId);
      const user = await store.users.find(parseEmail(draft.email));
      if (!user) throw notFound('User');
      return members.add(workspaceId, user.id, draft.role);
    },

    /** Raises `not_found`, and `conflict` when no admin would be left. */
    async changeMember(
      principal: Principal,
      workspaceId: string,
      userId: string,
      changes: MemberChanges,
    ): Promise<Member> {
      await asAdmin(principal, workspaceId);
      return members.change(workspaceId, userId, changes);
    },

    /** Members may take themselves out. Raises `not_found`, and `conflict` when no admin would be left. */
    async removeMember(principal: Principal, workspaceId: string, userId: string): Promise<void> {
      // Nobody is asked before they are added, so everybody can go on their own.
      const leaves = userId === principal.userId;
      await (leaves ? asMember : asAdmin)(principal, workspaceId);
      await members.remove(workspaceId, userId);
    },

    /** Members may. */
    async getPolicy(principal: Principal, workspaceId: string): Promise<Policy[]> {
      await asMember(principal, workspaceId);
      return policies.getPolicy(workspaceId);
    },

    async setPolicy(principal: Principal, workspaceId: string, changes: PolicyChanges): Promise<Policy[]> {
      await asAdmin(principal, workspaceId);
      return policies.setPolicy(workspaceId, changes);
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

    /** Only the given fields change; the slug stays. Raises `not_found`. */
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

    async listKeys(principal: Principal, workspaceId: string): Promise<StoredKey[]> {
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
