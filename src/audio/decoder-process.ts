import { AppError } from '../domain/errors.ts';
import { NotAudio } from '../domain/speech-errors.ts';
import { endWithParent } from '../lib/end-with-parent.ts';
import { decodeFile } from './decode-file.ts';
import type { AudioLimits } from './limits.ts';
import { openTrack } from './open-track.ts';

/** What the decoding process is told; the file comes in slices, so that no message holds the server up. */
export type DecoderCommand =
  | { kind: 'slice'; bytes: Uint8Array }
  | { kind: 'run'; task: 'probe' | 'decode'; limits: AudioLimits };

export type DecoderAnswer =
  | { kind: 'samples'; pcm: Float32Array }
  | { kind: 'done'; format: string; codec: string; durationMs: number }
  | { kind: 'refused'; notAudio: boolean; message: string; cause: string };

const samplesPerMessage = 262_144;
let slices: Uint8Array[] = [];

const answer = (message: DecoderAnswer) => process.send?.(message);

async function run({ task, limits }: Extract<DecoderCommand, { kind: 'run' }>): Promise<void> {
  const file = Buffer.concat(slices);
  slices = [];
  try {
    if (task === 'probe') {
      const { format, codec, seconds } = await openTrack(file, limits);
      answer({ kind: 'done', format, codec, durationMs: Math.round(seconds * 1000) });
      return;
    }
    const { pcm, format, codec, durationMs } = await decodeFile(file, limits);
    for (let at = 0; at < pcm.length; at += samplesPerMessage)
      answer({ kind: 'samples', pcm: pcm.slice(at, at + samplesPerMessage) });
    answer({ kind: 'done', format, codec, durationMs });
  } catch (error) {
    answer({
      kind: 'refused',
      notAudio: error instanceof NotAudio,
      message: error instanceof AppError ? error.message : 'The audio cannot be decoded.',
      cause: String(error instanceof Error ? (error.cause ?? error) : error),
    });
  }
}

process.on('message', (command: DecoderCommand) => {
  if (command.kind === 'slice') slices.push(command.bytes);
  else void run(command);
});
endWithParent();
