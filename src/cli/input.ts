import { InvalidArgumentError } from 'commander';
import type { KeyKind } from '../domain/api-key.ts';
import { parseEmail } from '../domain/email.ts';
import { planNames } from '../domain/plans.ts';
import { chosenScopes, personalScopes, workspaceScopes, workspaceWildcard } from '../domain/scopes.ts';
import type { User } from '../domain/user.ts';
import type { Workspace } from '../domain/workspace.ts';
import { findAccount } from '../features/identity/accounts/acts.ts';
import { list } from '../features/identity/accounts/queries.ts';
import { workspaceById } from '../features/workspaces/acts.ts';
import { all } from '../features/workspaces/queries.ts';
import { characterCount, isStorableText } from '../lib/text.ts';
import type { Db } from '../platform/database/database.ts';
import type { CliContext, Services } from './command.ts';
import { UsageError } from './errors.ts';

/** Turns what was typed into a value, or raises a UsageError that names the option. */
type Parser<Value> = (typed: string) => Value;

export const text =
  (option: string, maxLength: number): Parser<string> =>
  (typed) => {
    const value = typed.trim();
    if (value === '' || characterCount(value) > maxLength)
      throw new UsageError(`${option} must have 1 to ${maxLength} characters.`);
    if (!isStorableText(value) || /\p{Cc}/u.test(value))
      throw new UsageError(`${option} must not contain control characters.`);
    return value;
  };

export const oneOf =
  <Value extends string>(option: string, values: readonly Value[]): Parser<Value> =>
  (typed) => {
    const found = values.find((value) => value === typed);
    if (!found) throw new UsageError(`${option} must be one of ${values.join(', ')}.`);
    return found;
  };
export const plan = (option: string) => oneOf(option, planNames);

export const email =
  (option: string): Parser<string> =>
  (typed) => {
    try {
      return parseEmail(typed.trim());
    } catch {
      throw new UsageError(`${option} must be an e-mail address like ada@example.org.`);
    }
  };

export const wholeNumber =
  (option: string, min: number, max: number): Parser<number> =>
  (typed) => {
    const value = Number(typed);
    if (!/^\d+$/.test(typed) || value < min || value > max)
      throw new InvalidArgumentError(`${option} must be a whole number from ${min} to ${max}.`);
    return value;
  };

/** `a,b` or `all`. Which scopes are allowed depends on the kind of key. */
export function scopes(typed: string | undefined, kind: KeyKind): string[] | undefined {
  if (typed === undefined) return undefined;
  if (typed.trim() === 'all') return kind === 'personal' ? [...personalScopes] : [workspaceWildcard];
  const known: readonly string[] =
    kind === 'personal' ? chosenScopes : [...workspaceScopes, workspaceWildcard];
  const wanted = typed.split(',').map((scope) => scope.trim());
  const unknown = wanted.find((scope) => !known.includes(scope));
  if (unknown !== undefined)
    throw new UsageError(
      `--scopes: "${unknown}" is not a scope of a ${kind} key. Use ${known.join(', ')} or "all".`,
    );
  return [...new Set(wanted)];
}

/** The options that name a server and the key to call it with. */
export interface ServerOptions {
  url?: string;
  key?: string;
}

/** The address and the key; by default those of this machine and of STENO_KEY. */
export function serverOf({ url, key }: ServerOptions, { env, config }: CliContext) {
  const chosenKey = key ?? env.STENO_KEY ?? '';
  if (chosenKey === '') throw new UsageError('Name your key with --key, or set STENO_KEY.');
  const address = httpAddress('--url', url ?? `http://localhost:${config().port}`);
  return { url: new URL(address).origin, key: chosenKey };
}

export function httpAddress(option: string, typed: string): string {
  if (!/^https?:/.test(typed) || !URL.canParse(typed))
    throw new UsageError(`${option} must be an address like http://localhost:8787.`);
  return typed;
}

/** Aborts at Ctrl-C, SIGTERM and SIGHUP. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

/** The one that was named. If none was named and there is only one, that one. */
async function choose<Found>(
  { find, list }: { find(named: string): Promise<Found>; list(): Promise<Found[]> },
  named: string | undefined,
  whenNone: string,
  whenSeveral: string,
): Promise<Found> {
  if (named !== undefined) return find(named);
  const [only, ...others] = await list();
  if (only === undefined) throw new UsageError(whenNone);
  if (others.length > 0) throw new UsageError(whenSeveral);
  return only;
}

export const chooseUser = (db: Db, named: string | undefined, option: string): Promise<User> =>
  choose(
    { find: (text) => findAccount({ db }, text), list: () => list(db) },
    named,
    'There is no user yet. Add one with "steno users add".',
    `There are several users. Choose one with ${option}, by id or e-mail address.`,
  );

export const chooseWorkspace = ({ look }: Services, named: string | undefined): Promise<Workspace> =>
  choose(
    { find: (id) => workspaceById(look(), id), list: () => all(look().db) },
    named,
    'There is no workspace yet. Add one with "steno workspaces add".',
    'There are several workspaces. Choose one with --workspace.',
  );
