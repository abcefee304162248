import { z } from 'zod';
import { type PlanName, planNames } from '../domain/plans.ts';
import { personalScopes, workspaceScopes, workspaceWildcard } from '../domain/scopes.ts';
import type { User } from '../domain/user.ts';
import { isStorableText } from '../lib/text.ts';
import type { Admin } from '../services/admin.ts';
import { UsageError } from './errors.ts';

const maxExpiryDays = 36_500;
const maxEmailLength = 254;

/** Each parser takes what was typed and answers the value, or raises a UsageError that names the option. */
type Parser<Value> = (typed: string) => Value;

export const text =
  (option: string, maxLength: number): Parser<string> =>
  (typed) => {
    const value = typed.trim();
    if (value.length === 0 || value.length > maxLength)
      throw new UsageError(`${option} must have 1 to ${maxLength} characters.`);
    if (!isStorableText(value) || /\p{Cc}/u.test(value))
      throw new UsageError(`${option} must not contain control characters.`);
    return value;
  };

export const plan =
  (option: string): Parser<PlanName> =>
  (typed) => {
    const found = planNames.find((name) => name === typed);
    if (!found) throw new UsageError(`${option} must be one of ${planNames.join(', ')}.`);
    return found;
  };

export const email: Parser<string> = (typed) => {
  const value = typed.trim();
  if (!z.email().max(maxEmailLength).safeParse(value).success)
    throw new UsageError('--email must be an e-mail address like ada@example.org.');
  return value;
};

export const days: Parser<number> = (typed) => {
  const value = Number(typed);
  if (!/^\d+$/.test(typed) || value < 1 || value > maxExpiryDays)
    throw new UsageError(`--expires-in-days must be a whole number from 1 to ${maxExpiryDays}.`);
  return value;
};

/** `a,b` or `all`; which names are good depends on the kind of key. */
export function scopes(typed: string, kind: 'personal' | 'workspace'): string[] {
  if (typed.trim() === 'all') return kind === 'personal' ? [...personalScopes] : [workspaceWildcard];
  const known: readonly string[] =
    kind === 'personal' ? personalScopes : [...workspaceScopes, workspaceWildcard];
  const wanted = typed.split(',').map((scope) => scope.trim());
  const unknown = wanted.find((scope) => !known.includes(scope));
  if (unknown !== undefined)
    throw new UsageError(
      `--scopes: "${unknown}" is no scope of a ${kind} key; there are ${known.join(', ')}, and "all".`,
    );
  return [...new Set(wanted)];
}

/** The user that was named by id or e-mail address; when none was, the only one there is. */
export async function chooseUser(admin: Admin, named: string | undefined, option: string): Promise<User> {
  if (named !== undefined) return admin.findUser(named);
  const [only, ...others] = await admin.listUsers();
  if (only === undefined) throw new UsageError('There is no user yet; add one with "steno users add".');
  if (others.length > 0)
    throw new UsageError(`There are several users: say which with ${option} and an id or e-mail address.`);
  return only;
}
