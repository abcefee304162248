import { Argument, type Command, InvalidArgumentError } from 'commander';
import type { PauseState } from '../features/transcribe/pause.ts';
import { type CliContext, withServices } from './context.ts';
import { example } from './help.ts';
import { answer, type OutputOptions, withJson } from './output.ts';

const maxMinutes = 525_600; // a year

interface PauseOptions extends OutputOptions {
  minutes?: number;
}

export function pauseCommand(program: Command, context: CliContext): void {
  withJson(program.command('pause'))
    .description('pause POST /transcribe (503 with Retry-After) or end the pause; takes effect at once')
    .addArgument(new Argument('[state]', 'leave it out to see the state').choices(['on', 'off']))
    .option('--minutes <number>', 'with "on": end the pause after this many minutes', minutes)
    .addHelpText('after', example('pause on --minutes 30'))
    .action((state: 'on' | 'off' | undefined, options: PauseOptions, command: Command) => {
      if (state !== 'on' && options.minutes !== undefined)
        command.error('error: use --minutes only with "on"');
      return withServices(context, async ({ pause }) => {
        const now =
          state === undefined
            ? await pause.state()
            : await (state === 'on' ? pause.begin(options.minutes) : pause.end());
        answer(context, options, now, () => describe(now, context.config().transcriptionPaused));
      });
    });
}

function describe({ paused, until }: PauseState, bySetting: boolean): string {
  if (bySetting) return 'Transcription is paused by the setting STENO_TRANSCRIPTION_PAUSED.';
  if (!paused) return 'Transcription is not paused.';
  return `Transcription is paused until ${until ?? 'you run "steno pause off"'}.`;
}

function minutes(typed: string): number {
  const value = Number(typed);
  if (!/^\d+$/.test(typed) || value < 1 || value > maxMinutes)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxMinutes}.`);
  return value;
}
