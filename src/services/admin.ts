import { type KeyKind, maxActiveKeysPerUser, newSecret, type StoredApiKey } from '../domain/api-key.ts';
import { AppError, notFound } from '../domain/errors.ts';
import type { PlanName } from '../domain/plans.ts';
import { personalScopes } from '../domain/scopes.ts';
import { type Space, slugOf, type Workspace } from '../domain/space.ts';
import { normalizeEmail, type User } from '../domain/user.ts';
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
    const user = await store.users.find(normalizeEmail(idOrEmail));
    if (!user) throw notFound('User');
    return user;
  }

  async function findWorkspace(id: string): Promise<Workspace> {
    const workspace = await store.workspaces.find(id);
    if (!workspace) throw notFound('Workspace');
    return workspace;
  }

  function draftKey(draft: KeyDraft): { stored: StoredApiKey; secret: string } {
    const { secret, key_hash, key_prefix } = newSecret(draft.kind);
    const at = clock();
    const { expiresInDays } = draft;
    const stored: StoredApiKey = {
      id: newId(),
      kind: draft.kind,
      user_id: draft.userId,
      workspace_id: draft.workspaceId,
      name: draft.name,
      key_prefix,
      key_hash,
      scopes: [...draft.scopes],
      last_used_at: null,
      expires_at: expiresInDays === undefined ? null : new Date(at + expiresInDays * dayMs).toISOString(),
      created_at: new Date(at).toISOString(),
    };
    return { stored, secret };
  }

  return {
    findUser,
    findWorkspace,
    listUsers: () => store.users.list(),

    /** Raises `conflict` when the address has an account already. */
    async addUser(draft: { name: string; email: string | null; plan: PlanName }): Promise<User> {
      const email = draft.email === null ? null : normalizeEmail(draft.email);
      const user: User = { id: newId(), ...draft, email, created_at: now() };
      if ((await store.users.insert(user)) === 'conflict')
        throw new AppError('conflict', 'There is an account with this e-mail address already.');
      return user;
    },

    async setUserPlan(idOrEmail: string, plan: PlanName): Promise<User> {
      const user = await findUser(idOrEmail);
      await store.users.setPlan(user.id, plan);
      return { ...user, plan };
    },

    /** The owner with a key for everything personal, on a new database; undefined when it has an account already. */
    async createOwner(plan: PlanName): Promise<{ key: string } | undefined> {
      const user: User = { id: newId(), name: 'Owner', email: null, plan, created_at: now() };
      const { stored, secret } = draftKey({
        kind: 'personal',
        userId: user.id,
        workspaceId: null,
        name: 'First key',
        scopes: personalScopes,
      });
      return (await store.users.insertFirst(user, stored)) ? { key: secret } : undefined;
    },

    /** The account with all its personal keys, notes and folders. */
    async removeUser(idOrEmail: string): Promise<User> {
      const user = await findUser(idOrEmail);
      await store.users.remove(user.id);
      return user;
    },

    /** The secret is in this answer and nowhere else. Raises `limit_reached` at five active personal keys. */
    async createKey(draft: KeyDraft): Promise<StoredApiKey & { key: string }> {
      const { stored: key, secret } = draftKey(draft);
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

    /** Who answers for a key that nobody in particular makes. Raises `not_found` when the workspace has no admin left. */
    async adminOf(workspaceId: string): Promise<User> {
      await findWorkspace(workspaceId);
      const admin = await store.workspaces.findAdmin(workspaceId);
      if (!admin) throw new AppError('not_found', 'This workspace has no admin: say whose key it is.');
      return admin;
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

    async renameSpace(id: string, name: string): Promise<Space> {
      const space = await store.workspaces.renameSpace(id, name, now());
      if (!space) throw notFound('Space');
      return space;
    },

    async archiveSpace(id: string): Promise<void> {
      if (!(await store.workspaces.archiveSpace(id, now()))) throw notFound('Space');
    },
  };
}
