import { CommanderError } from 'commander';
import { BadSettings } from '../config.ts';
import { AppError, type ErrorCode } from '../domain/errors.ts';
import { reasonOf } from '../domain/status.ts';
import { describeFault } from '../lib/log.ts';
import { DatabaseUnusable } from '../platform/database/unusable.ts';

/** Documented in docs/cli.md. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, refused: 3 } as const;

export const exitCodeHelp = `

Exit codes:
  0  success
  1  failure: the database, disk, port or network did not work
  2  wrong usage: an argument, option or setting is not valid
  3  refused: not found, already taken, a limit, a newer database, or --yes is missing`;

/** An argument or option is not valid. The message says what would be. */
export class UsageError extends Error {}

/** Something outside Steno failed. The message says what to do. */
export class Failure extends Error {}

const codesThatFail: ReadonlySet<ErrorCode> = new Set(['internal_error', 'service_unavailable']);

/** Prints what went wrong and returns the exit code. */
export function explain(error: unknown, print: (line: string) => void): number {
  // Commander has already printed its own message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (isForPeople(error)) {
    print(reasonOf(error));
    return exitCodeOf(error);
  }
  print('This is a bug in Steno. Please report it with the lines below.');
  print(JSON.stringify(describeFault(error), null, 2).replaceAll('\\n', '\n'));
  return exitCodes.failed;
}

export const isForPeople = (error: unknown): error is Error =>
  [AppError, BadSettings, UsageError, Failure, DatabaseUnusable].some((kind) => error instanceof kind);

function exitCodeOf(error: Error): number {
  if (error instanceof UsageError || error instanceof BadSettings) return exitCodes.usage;
  if (!(error instanceof AppError) || codesThatFail.has(error.code)) return exitCodes.failed;
  return error.code === 'validation_error' ? exitCodes.usage : exitCodes.refused;
}
