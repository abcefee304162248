import { CommanderError } from 'commander';
import { BadSettings } from '../config.ts';
import { AppError, type ErrorCode } from '../domain/errors.ts';
import { describeFault } from '../lib/log.ts';
import { DatabaseUnusable } from '../store/unusable.ts';

/** Documented in docs/cli.md. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, refused: 3 } as const;

export const exitCodeHelp = `

Exit codes:
  0  done
  1  failed: the database, the disk, the port or the network did not do its part
  2  wrong usage: an argument, an option or a setting cannot be used
  3  refused by a rule: not found, taken, a limit, a newer database, --yes is missing`;

/** An argument or option that cannot be used; the message is one sentence. */
export class UsageError extends Error {}

/** Something outside did not do its part; the message is one sentence that says what to do. */
export class Failure extends Error {}

const codesThatFail: ReadonlySet<ErrorCode> = new Set(['internal_error', 'service_unavailable']);

/** Says on standard error what went wrong, and answers the exit code. */
export function explain(error: unknown): number {
  // Commander has printed its own sentence already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (error instanceof Error && isForPeople(error)) {
    console.error(error.message);
    return exitCodeOf(error);
  }
  console.error('This is a fault in Steno; please report it with the lines below.');
  console.error(JSON.stringify(describeFault(error), null, 2).replaceAll('\\n', '\n'));
  return exitCodes.failed;
}

const isForPeople = (error: Error) =>
  [AppError, BadSettings, UsageError, Failure, DatabaseUnusable].some((kind) => error instanceof kind);

function exitCodeOf(error: Error): number {
  if (error instanceof UsageError || error instanceof BadSettings) return exitCodes.usage;
  if (!(error instanceof AppError) || codesThatFail.has(error.code)) return exitCodes.failed;
  return error.code === 'validation_error' ? exitCodes.usage : exitCodes.refused;
}
