import { newKey } from '../../../domain/api-key.ts';
import { parseEmail } from '../../../domain/email.ts';
import { notFound } from '../../../domain/errors.ts';
import type { PlanName } from '../../../domain/plans.ts';
import { personalScopes } from '../../../domain/scopes.ts';
import { normalizeEmail, type User } from '../../../domain/user.ts';
import type { CommandContext } from '../../../kernel/context.ts';
import type { Db } from '../../../platform/database/database.ts';
import { keyRows } from '../../../platform/database/keys.ts';
import { openSetup } from '../../operator/setup/queries.ts';
import * as queries from './queries.ts';

/** For an operator, at the command line or by a route: the rows of `who` do not bound what is found. */
type Acting = Pick<CommandContext<unknown>, 'tx' | 'audit' | 'now' | 'newId' | 'parts'>;

export interface UserDraft {
  name: string;
  email?: string | null;
  plan?: PlanName;
}

/** By id or e-mail address. Raises `not_found`. */
export async function findAccount({ db }: { db: Db }, named: string): Promise<User> {
  const user = await queries.find(db, normalizeEmail(named));
  if (!user) throw notFound('User');
  return user;
}

/** Raises `validation_error` for a bad address and `conflict` if it already has an account. */
export async function addAccount(context: Acting, draft: UserDraft): Promise<User> {
  const user = newAccount(context, draft);
  await queries.insert(context, user);
  return user;
}

/** Needs no code for a new address, because the operator is trusted. Raises `not_found`, and what `addAccount` raises. */
export async function changeAccount(
  context: Acting,
  named: string,
  { email, ...changes }: Partial<Pick<User, 'name' | 'plan'>> & { email?: string },
): Promise<User> {
  const { id } = await findAccount({ db: context.tx }, named);
  const address = email === undefined ? {} : { email: parseEmail(normalizeEmail(email)) };
  return queries.update(context, id, { ...changes, ...address });
}

/** Gives or takes the right to see and govern the server. It holds from the next call of each session. */
export async function setOperator(context: Acting, named: string, isOperator: boolean): Promise<User> {
  const user = await findAccount({ db: context.tx }, named);
  await queries.setOperator(context, user.id, isOperator);
  return user;
}

/** On a new database, creates the owner, who is an operator, and a key with all personal scopes. Undefined if there is a user. */
export async function createOwner(
  context: Acting,
  { opensSetup }: { opensSetup: boolean },
): Promise<{ user: User; key: string } | undefined> {
  const { tx, newId } = context;
  if (await queries.hasAny(tx)) return undefined;
  const user = newAccount(context, { name: 'Owner' });
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
  await queries.insert(context, user);
  await queries.setOperator(context, user.id, true);
  await tx.insertInto('api_keys').values(keyRows.toRow(stored)).execute();
  if (opensSetup) await openSetup(context, user.id);
  return { user, key };
}

const newAccount = ({ newId, now, parts }: Acting, { name, email = null, plan }: UserDraft): User => ({
  id: newId(),
  name,
  email: email === null ? null : parseEmail(normalizeEmail(email)),
  plan: plan ?? parts.config.defaultPlan,
  created_at: now,
});
