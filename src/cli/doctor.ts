import type { Command } from 'commander';
import type { Check } from '../domain/status.ts';
import { type CliContext, printing, prints } from './command.ts';
import { Failure } from './errors.ts';
import { table } from './output.ts';

export function doctorCommand(program: Command, context: CliContext): void {
  const about =
    'check the settings, database, disk, clock, port and speech engine, and say what to fix; show the plans';
  printing(program, 'doctor', about, 'doctor')
    .option('--no-speech', 'do not transcribe the test recording')
    .action(async (_, command: Command) => {
      const { runChecks } = await import('./doctor-checks.ts');
      const checks = await runChecks(context, command.opts<{ speech: boolean }>());
      const broken = checks.filter(({ state }) => state === 'broken');
      await prints(context, () => [{ ok: broken.length === 0, checks }, describe(checks)]).call(command);
      if (broken.length > 0)
        throw new Failure(`Problems found: ${broken.map(({ check }) => check).join(', ')}.`);
    });
}

function describe(checks: readonly Check[]): string {
  const toDo = checks.flatMap(({ check, fix }) => (fix === null ? [] : [`  ${check}: ${fix}`]));
  const advice = toDo.length === 0 ? 'Everything is in order.' : `What to do:\n${toDo.join('\n')}`;
  return `${table(checks, ['check', 'state', 'found'], '')}\n\n${advice}`;
}
