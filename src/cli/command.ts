import type { Command, CommandOptions } from 'commander';
import type { Config } from '../config.ts';
import type { SessionPrincipal } from '../domain/principal.ts';
import { personalScopes } from '../domain/scopes.ts';
import type { User } from '../domain/user.ts';
import type { Services } from '../services.ts';

/** What every command gets. Settings are read only when needed, so `--help` works even if one is wrong. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  config(): Config;
  /** Prints a line on standard output. */
  print(line: string): void;
}

export type { Services };

/** An id, for examples. */
export const someId = '0190a5c0-7b1e-7cc2-9c3e-3f1b1a2c4d5e';

/** Adds a command or a group of commands: its name, what it does, and an example that works as it is. */
export const command = (
  parent: Command,
  name: string,
  about: string,
  example: string,
  options: CommandOptions = {},
) =>
  parent.command(name, options).description(about).addHelpText('after', `\nExample:\n  npx steno ${example}`);

/** The same for a command that prints records: `--json` prints them with the names of the API. */
export const printing = (...given: Parameters<typeof command>) =>
  command(...given).option('--json', 'print JSON, for scripts');

/** A record for `--json`, and the text for people. */
export type Printed = readonly [record: unknown, text: string];

/** The action of a command made with `printing`. It gets the arguments and the options as they were typed. */
export function prints<Typed extends unknown[]>(
  { print }: Pick<CliContext, 'print'>,
  run: (...typed: Typed) => Printed | Promise<Printed>,
) {
  return async function (this: Command, ...typed: Typed): Promise<void> {
    const [record, text] = await run(...typed);
    print(this.opts().json ? JSON.stringify(record, null, 2) : text);
  };
}

/** The action of a command that works on the database. It gets what the program is made of, and what was typed. */
export const printsFrom = <Typed extends unknown[]>(
  context: CliContext,
  run: (services: Services, ...typed: Typed) => Promise<Printed>,
) => prints(context, (...typed: Typed) => withServices(context, (services) => run(services, ...typed)));

/** Opens the database, whether or not a server runs, and always closes it. Raises `not_found` if there is none. */
export async function withServices<Result>(
  context: CliContext,
  work: (services: Services) => Promise<Result>,
): Promise<Result> {
  const { composeServices } = await import('../services.ts');
  const services = await composeServices(context.config(), { create: false });
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}

/** The operator acts as this person, whose policies and settings still count. */
export const asPerson = ({ id, plan }: Pick<User, 'id' | 'plan'>): SessionPrincipal => ({
  kind: 'session',
  userId: id,
  plan,
  scopes: personalScopes,
  blockedBy: [],
  expiresAt: null,
  limitKey: id,
  allowedAddresses: null,
  key: null,
  sessionId: 'cli',
  isOperator: false,
});
