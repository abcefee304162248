import { Command, CommanderError } from 'commander';
import { BadSettings, readConfig } from '../config.ts';
import { AppError } from '../domain/errors.ts';
import { describeFault } from '../lib/log.ts';
import { MigrationRefused } from '../store/migrate.ts';
import type { CliContext } from './context.ts';
import { openapiCommand } from './openapi.ts';
import { pauseCommand } from './pause.ts';
import { policyCommands } from './policy.ts';
import { serveCommand } from './serve.ts';

/** Documented in docs/cli.md. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, refused: 3 } as const;

export async function runCli(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const context: CliContext = {
    env,
    config: () => readConfig(env),
    print: (line) => process.stdout.write(`${line}\n`),
  };
  const program = new Command('steno')
    .description('The open server for voice notes.')
    .exitOverride()
    .configureHelp({ sortSubcommands: false })
    .showHelpAfterError('(add --help for what it takes)');
  program.addCommand(serveCommand(context));
  policyCommands(program.command('workspaces').description('teams; their notes live in spaces'), context);
  pauseCommand(program, context);
  program.addCommand(openapiCommand(context));
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    return explain(error);
  }
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  if (error instanceof BadSettings) {
    console.error(`These settings cannot be used:\n${error.message}`);
    return exitCodes.usage;
  }
  if (error instanceof AppError || error instanceof MigrationRefused) {
    console.error(error.message);
    return exitCodes.refused;
  }
  console.error(error instanceof Error ? error.message : String(error));
  console.error(describeFault(error).stack);
  return exitCodes.failed;
}
