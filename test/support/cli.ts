import { Command } from 'commander';
import { askCommand } from '../../src/cli/ask.ts';
import { auditCommand } from '../../src/cli/audit.ts';
import { noteCommands } from '../../src/cli/notes.ts';
import { pauseCommand } from '../../src/cli/pause.ts';
import { webhookCommands } from '../../src/cli/webhooks.ts';
import { workspaceCommands } from '../../src/cli/workspaces.ts';
import type { TestSteno } from './steno.ts';

/** Runs a command as `npx steno` would, on the server's database; the lines it printed. */
export async function runBeside(
  steno: TestSteno,
  argv: string[],
  settings: { transcriptionPaused?: boolean } = {},
  lines: string[] = [],
): Promise<string[]> {
  const context = {
    env: {},
    config: () => ({ ...steno.config, ...settings }),
    print: (line: string) => {
      lines.push(line);
    },
  };
  const program = new Command().exitOverride().configureOutput({ writeErr() {} });
  pauseCommand(program, context);
  workspaceCommands(program, context);
  webhookCommands(program, context);
  noteCommands(program, context);
  askCommand(program, context);
  auditCommand(program, context);
  await program.parseAsync(argv, { from: 'user' });
  return lines;
}
