import { Command, type OutputConfiguration } from 'commander';
import { readEnvFile } from '../env-file.ts';
import { giveToOwner } from '../lib/file-owner.ts';
import { version } from '../lib/version.ts';
import { readAllSettings } from '../settings-file.ts';
import { askCommand } from './ask.ts';
import { auditCommand } from './audit.ts';
import { backupCommands } from './backup.ts';
import type { CliContext } from './command.ts';
import { doctorCommand } from './doctor.ts';
import { exitCodeHelp, exitCodes, explain } from './errors.ts';
import { exportCommands } from './exports.ts';
import { keyCommands } from './keys.ts';
import { mailCommands } from './mail.ts';
import { addModelsCommand } from './models.ts';
import { moveCommand } from './move.ts';
import { noteCommands } from './notes.ts';
import { openapiCommand } from './openapi.ts';
import { pauseCommand } from './pause.ts';
import { serveCommand } from './serve.ts';
import { spaceCommands } from './spaces.ts';
import { transcribeCommand } from './transcribe.ts';
import { userCommands } from './users.ts';
import { watchCommand } from './watch.ts';
import { webhookCommands } from './webhooks.ts';
import { workspaceCommands } from './workspaces.ts';

interface Output {
  write(text: string): unknown;
}

/** Returns the exit code. */
export async function runCli(
  argv: readonly string[],
  env: CliContext['env'],
  { stdout, stderr }: { stdout: Output; stderr: Output } = process,
): Promise<number> {
  const context = {
    env,
    config: () => readAllSettings(context.env),
    print: (line: string) => stdout.write(`${line}\n`),
  };
  const program = createProgram(context, {
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
  });
  program.hook('preAction', () => {
    const file = program.opts<{ envFile?: string }>().envFile ?? env.STENO_ENV_FILE;
    if (!file) return;
    const more = readEnvFile(file);
    context.env = { ...more, ...env };
    // Drivers read variables of their own, such as PGSSLMODE or NODE_EXTRA_CA_CERTS.
    for (const [name, value] of Object.entries(more)) process.env[name] ??= value;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    return explain(error, (line) => stderr.write(`${line}\n`));
  } finally {
    giveData(context);
  }
}

/** Without settings there is no data folder. The audio store sees to its many files itself. */
function giveData(context: CliContext): void {
  try {
    giveToOwner(context.config().dataDir, 'recordings');
  } catch {}
}

/** All commands, in the order that `--help` shows. */
export function createProgram(context: CliContext, output: OutputConfiguration = {}): Command {
  const program = new Command('steno')
    .description('The open server for voice notes.')
    .version(version)
    .option('--env-file <file>', 'file with settings, one NAME=value per line (or set STENO_ENV_FILE)')
    .configureOutput(output)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .showHelpAfterError('(add --help to see how to use it)')
    .addHelpText('after', `\nExample:\n  npx steno users list${exitCodeHelp}`);
  serveCommand(program, context);
  userCommands(program, context);
  keyCommands(program, context);
  workspaceCommands(program, context);
  spaceCommands(program, context);
  webhookCommands(program, context);
  noteCommands(program, context);
  pauseCommand(program, context);
  transcribeCommand(program, context);
  askCommand(program, context);
  watchCommand(program, context);
  addModelsCommand(program, context);
  auditCommand(program, context);
  doctorCommand(program, context);
  mailCommands(program, context);
  backupCommands(program, context);
  moveCommand(program, context);
  exportCommands(program, context);
  openapiCommand(program, context);
  return program;
}
