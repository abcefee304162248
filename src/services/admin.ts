import { type KeyKind, maxActiveKeysPerUser, newSecret, type StoredApiKey } from '../domain/api-key.ts';
import { AppError, notFound } from '../domain/errors.ts';
import type { PlanName } from '../domain/plans.ts';
import { type Space, slugOf, type Workspace } from '../domain/space.ts';
import type { User } from '../domain/user.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyOwner, Store } from '../ports/store.ts';

export interface KeyDraft {
  kind: KeyKind;
  userId: string;
  workspaceId: string | null;
  name: string;
  scopes: readonly string[];
  expiresInDays?: number | undefined;
}

export type Admin = ReturnType<typeof createAdmin>;
const dayMs = 86_400_000;

/** What the operator does with accounts, keys, workspaces and spaces. */
export function createAdmin({ store, clock, newId }: { store: Store; clock: Clock; newId: NewId }) {
  const now = () => new Date(clock()).toISOString();

  async function findUser(idOrEmail: string): Promise<User> {
    const user = await store.users.find(idOrEmail);
    if (!user) throw notFound('User');
    return user;
  }

  async function findWorkspace(id: string): Promise<Workspace> {
    const workspace = await store.workspaces.find(id);
    if (!workspace) throw notFound('Workspace');
    return workspace;
  }

  return {
    findUser,
    findWorkspace,
    listUsers: () => store.users.list(),

    /** Raises `conflict` when the address has an account already. */
    async addUser(draft: { name: string; email: string | null; plan: PlanName }): Promise<User> {
      const user: User = { id: newId(), ...draft, created_at: now() };
      if ((await store.users.insert(user)) === 'conflict')
        throw new AppError('conflict', 'There is an account with this e-mail address already.');
      return user;
    },

    async setUserPlan(idOrEmail: string, plan: PlanName): Promise<User> {
      const user = await findUser(idOrEmail);
      await store.users.setPlan(user.id, plan);
      return { ...user, plan };
    },

    /** The account with all its personal keys, notes and folders. */
    async removeUser(idOrEmail: string): Promise<User> {
      const user = await findUser(idOrEmail);
      await store.users.remove(user.id);
      return user;
    },

    /** The secret is in this answer and nowhere else. Raises `limit_reached` at five active personal keys. */
    async createKey(draft: KeyDraft): Promise<StoredApiKey & { key: string }> {
      const { secret, key_hash, key_prefix } = newSecret(draft.kind);
      const at = clock();
      const key: StoredApiKey = {
        id: newId(),
        kind: draft.kind,
        user_id: draft.userId,
        workspace_id: draft.workspaceId,
        name: draft.name,
        key_prefix,
        key_hash,
        scopes: [...draft.scopes],
        last_used_at: null,
        expires_at:
          draft.expiresInDays === undefined ? null : new Date(at + draft.expiresInDays * dayMs).toISOString(),
        created_at: new Date(at).toISOString(),
      };
      const max = draft.kind === 'personal' ? maxActiveKeysPerUser : Number.POSITIVE_INFINITY;
      if ((await store.keys.insert(key, max, key.created_at)) === 'limit reached')
        throw new AppError(
          'limit_reached',
          `There may be at most ${maxActiveKeysPerUser} active keys; revoke one first.`,
        );
      return { ...key, key: secret };
    },

    listKeys: (owner: KeyOwner) => store.keys.listActive(owner, now()),

    /** Raises `not_found`; revoking twice is fine. */
    async revokeKey(owner: KeyOwner, id: string): Promise<void> {
      if (!(await store.keys.revoke(owner, id, now()))) throw notFound('Key');
    },

    listWorkspaces: () => store.workspaces.list(),

    async addWorkspace(draft: { name: string; plan: PlanName; adminId: string }): Promise<Workspace> {
      const workspace: Workspace = { id: newId(), name: draft.name, plan: draft.plan, created_at: now() };
      await store.workspaces.insert(workspace, draft.adminId);
      return workspace;
    },

    async setWorkspacePlan(id: string, plan: PlanName): Promise<Workspace> {
      const workspace = await findWorkspace(id);
      await store.workspaces.setPlan(id, plan);
      return { ...workspace, plan };
    },

    listSpaces: (workspaceId: string) => store.workspaces.listSpaces(workspaceId),

    async addSpace(draft: {
      workspaceId: string;
      name: string;
      description: string | null;
      emoji: string | null;
    }): Promise<Space> {
      await findWorkspace(draft.workspaceId);
      const at = now();
      const { workspaceId, ...named } = draft;
      const space: Space = {
        id: newId(),
        ...named,
        slug: slugOf(draft.name),
        created_at: at,
        updated_at: at,
      };
      return store.workspaces.insertSpace(workspaceId, space);
    },

    async archiveSpace(id: string): Promise<void> {
      if (!(await store.workspaces.archiveSpace(id, now()))) throw notFound('Space');
    },
  };
}
