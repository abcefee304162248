import { newKey } from '../domain/api-key.ts';
import { parseEmail } from '../domain/email.ts';
import { AppError, notFound } from '../domain/errors.ts';
import type { PlanName } from '../domain/plans.ts';
import type { Principal } from '../domain/principal.ts';
import { personalScopes } from '../domain/scopes.ts';
import { normalizeEmail, type User } from '../domain/user.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { OwnRemoval, Store } from '../ports/store.ts';

interface Dependencies {
  store: Store;
  clock: Clock;
  newId: NewId;
  defaultPlan: PlanName;
  /** Removes audio that no recording needs any more. */
  sweep(): Promise<void>;
}

export interface UserDraft {
  name: string;
  email?: string | null;
  plan?: PlanName;
}

export type Users = ReturnType<typeof createUsers>;

export const addressTaken = () =>
  new AppError('conflict', 'There is already an account with this e-mail address.');

const whyNot = (outcome: Exclude<OwnRemoval, 'ok' | 'not found'>) =>
  outcome === 'last operator'
    ? 'You are the last operator of this server; make somebody else one first: steno users operator.'
    : `You are the last admin of ${outcome.lastAdminOf.map((name) => `“${name}”`).join(' and ')}; make another member an admin first.`;

/** For the operator, who names a user by id or e-mail address. An unknown user raises `not_found`. */
export function createUsers({ store, clock, newId, defaultPlan, sweep }: Dependencies) {
  const newUser = ({ name, email = null, plan = defaultPlan }: UserDraft): User => ({
    id: newId(),
    name,
    email: email === null ? null : parseEmail(normalizeEmail(email)),
    plan,
    created_at: new Date(clock()).toISOString(),
  });

  async function find(idOrEmail: string): Promise<User> {
    const user = await store.users.find(normalizeEmail(idOrEmail));
    if (!user) throw notFound('User');
    return user;
  }

  async function change(idOrEmail: string, changes: Partial<Omit<User, 'id'>>): Promise<User> {
    const user = await find(idOrEmail);
    const outcome = await store.users.update(user.id, changes);
    if (outcome === 'conflict') throw addressTaken();
    if (outcome === 'not found') throw notFound('User');
    return { ...user, ...changes };
  }

  return {
    find,

    list: (): Promise<User[]> => store.users.list(),

    /** Raises `validation_error` for a bad address and `conflict` if it already has an account. */
    async add(draft: UserDraft): Promise<User> {
      const user = newUser(draft);
      if ((await store.users.insert(user)) === 'conflict') throw addressTaken();
      return user;
    },

    setPlan: (idOrEmail: string, plan: PlanName): Promise<User> => change(idOrEmail, { plan }),

    setName: (idOrEmail: string, name: string): Promise<User> => change(idOrEmail, { name }),

    /** Needs no code, because the operator is trusted. Raises `validation_error`, and `conflict` like `add`. */
    setEmail: (idOrEmail: string, email: string): Promise<User> =>
      change(idOrEmail, { email: parseEmail(normalizeEmail(email)) }),

    /** Gives or takes the right to see and govern the server. It holds from the next call of each session. */
    async setOperator(idOrEmail: string, isOperator: boolean): Promise<User> {
      const user = await find(idOrEmail);
      if (!(await store.users.setOperator(user.id, isOperator))) throw notFound('User');
      return user;
    },

    /** Also deletes all personal keys, notes, folders and recordings with their audio. */
    async remove(idOrEmail: string): Promise<User> {
      const user = await find(idOrEmail);
      await store.users.remove(user.id);
      // If this fails, the hourly housekeeping of a server does it.
      await sweep().catch(() => {});
      return user;
    },

    /** Like `remove`, by id. */
    async removeUnlessLastOperator(id: string) {
      const outcome = await store.users.removeUnlessLastOperator(id);
      // As in `remove`.
      if (outcome === 'ok') await sweep().catch(() => {});
      return outcome;
    },

    /**
     * Somebody deletes their own account for good. `typed` is its address, or its name if it has none. Raises `validation_error`,
     * and `conflict` for the last operator, and for the last admin of a workspace that has other members.
     */
    async removeOwn({ userId }: Principal, typed: string): Promise<void> {
      const { email, name } = await find(userId);
      if (normalizeEmail(typed) !== normalizeEmail(email ?? name))
        throw new AppError(
          'validation_error',
          `confirm must be the ${email === null ? 'name' : 'e-mail address'} of your account.`,
        );
      const outcome = await store.users.removeOwn(userId);
      if (outcome === 'not found') throw notFound('User');
      if (outcome !== 'ok') throw new AppError('conflict', whyNot(outcome));
      // As in `remove`.
      await sweep().catch(() => {});
    },

    /** On a new database, creates the owner, who is an operator, and a key with all personal scopes. Undefined if there is a user. */
    async createOwner(options: { opensSetup: boolean }): Promise<{ user: User; key: string } | undefined> {
      const user = newUser({ name: 'Owner' });
      const { key, ...stored } = newKey({
        id: newId(),
        kind: 'personal',
        user_id: user.id,
        workspace_id: null,
        name: 'First key',
        description: null,
        allowed_addresses: null,
        scopes: [...personalScopes],
        expires_at: null,
        created_at: user.created_at,
      });
      return (await store.users.insertFirst(user, stored, options)) ? { user, key } : undefined;
    },
  };
}
