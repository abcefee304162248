import { Argument, type Command } from 'commander';
import { beginPause, endPause, type PauseState, pauseState } from '../features/transcribe/pause.ts';
import { type CliContext, printing, printsFrom } from './command.ts';
import { wholeNumber } from './input.ts';

const maxMinutes = 525_600; // a year

export function pauseCommand(program: Command, context: CliContext): void {
  printing(
    program,
    'pause',
    'pause POST /transcribe (503 with Retry-After) or end the pause; takes effect at once',
    'pause on --minutes 30',
  )
    .addArgument(new Argument('[state]', 'leave it out to see the state').choices(['on', 'off']))
    .option(
      '--minutes <number>',
      'with "on": end the pause after this many minutes',
      wholeNumber('--minutes', 1, maxMinutes),
    )
    .action(
      printsFrom(context, async ({ act, look }, state?: 'on' | 'off', options: { minutes?: number } = {}) => {
        if (state !== 'on' && options.minutes !== undefined)
          program.error('error: use --minutes only with "on"');
        if (state === 'on') await act((context) => beginPause(context, options.minutes));
        if (state === 'off') await act(endPause);
        const now = await pauseState(look());
        return [now, describe(now, context.config().transcriptionPaused)];
      }),
    );
}

function describe({ paused, until }: PauseState, bySetting: boolean): string {
  if (bySetting) return 'Transcription is paused by the setting STENO_TRANSCRIPTION_PAUSED.';
  if (!paused) return 'Transcription is not paused.';
  return `Transcription is paused until ${until ?? 'you run "steno pause off"'}.`;
}
