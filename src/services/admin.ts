import { parseEmail } from '../domain/email.ts';
import { AppError, notFound } from '../domain/errors.ts';
import type { PlanName } from '../domain/plans.ts';
import { personalScopes } from '../domain/scopes.ts';
import type { Space } from '../domain/space.ts';
import { normalizeEmail, type User } from '../domain/user.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { Keys } from './keys.ts';
import { newSpace } from './workspaces.ts';

interface Dependencies {
  store: Store;
  clock: Clock;
  newId: NewId;
  keys: Keys;
}

export type Admin = ReturnType<typeof createAdmin>;

/** What the operator does with accounts, keys, workspaces and spaces. */
export function createAdmin({ store, clock, newId, keys }: Dependencies) {
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

  return {
    findUser,
    findWorkspace,
    listUsers: () => store.users.list(),

    /** Raises `validation_error` for a bad address and `conflict` when it has an account already. */
    async addUser(draft: { name: string; email: string | null; plan: PlanName }): Promise<User> {
      const email = draft.email === null ? null : parseEmail(normalizeEmail(draft.email));
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
    async createOwner(plan: PlanName): Promise<{ user: User; key: string } | undefined> {
      const user: User = { id: newId(), name: 'Owner', email: null, plan, created_at: now() };
      const { stored, secret } = keys.draft({
        kind: 'personal',
        userId: user.id,
        workspaceId: null,
        name: 'First key',
        scopes: personalScopes,
      });
      return (await store.users.insertFirst(user, stored)) ? { user, key: secret } : undefined;
    },

    /** The account with all its personal keys, notes and folders. */
    async removeUser(idOrEmail: string): Promise<User> {
      const user = await findUser(idOrEmail);
      await store.users.remove(user.id);
      return user;
    },

    createKey: keys.issue,
    listKeys: keys.listOf,
    revokeKey: keys.revokeOf,

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
      return store.workspaces.insertSpace(draft.workspaceId, newSpace(draft, newId(), now()));
    },

    async renameSpace(id: string, name: string): Promise<Space> {
      const space = await store.workspaces.updateSpace(id, { name }, now());
      if (!space) throw notFound('Space');
      return space;
    },

    async archiveSpace(id: string): Promise<void> {
      if (!(await store.workspaces.archiveSpace(id, now()))) throw notFound('Space');
    },
  };
}
