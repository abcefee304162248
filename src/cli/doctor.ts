import type { Command } from 'commander';
import type { Check } from '../domain/status.ts';
import type { CliContext } from './context.ts';
import { Failure } from './errors.ts';
import { example } from './help.ts';
import { answer, type OutputOptions, table, withJson } from './output.ts';

export function doctorCommand(program: Command, context: CliContext): void {
  withJson(program.command('doctor'))
    .description(
      'check the settings, database, disk, clock, port and speech engine, and say what to fix; show the plans',
    )
    .option('--no-speech', 'do not transcribe the test recording')
    .addHelpText('after', example('doctor'))
    .action(async (options: OutputOptions & { speech: boolean }) => {
      const { runChecks } = await import('./doctor-checks.ts');
      const checks = await runChecks(context, options);
      const broken = checks.filter(({ state }) => state === 'broken');
      answer(context, options, { ok: broken.length === 0, checks }, () => describe(checks));
      if (broken.length > 0)
        throw new Failure(`Problems found: ${broken.map(({ check }) => check).join(', ')}.`);
    });
}

function describe(checks: readonly Check[]): string {
  const toDo = checks.flatMap(({ check, fix }) => (fix === null ? [] : [`  ${check}: ${fix}`]));
  const advice = toDo.length === 0 ? 'Everything is in order.' : `What to do:\n${toDo.join('\n')}`;
  return `${table(checks, ['check', 'state', 'found'], '')}\n\n${advice}`;
}
