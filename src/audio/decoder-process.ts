import { BadAudio, damagedAudio, NotAudio } from '../domain/speech-errors.ts';
import { endWithParent } from '../lib/end-with-parent.ts';
import { decodeFile } from './decode-file.ts';
import type { AudioLimits } from './limits.ts';

/** What the decoding process is told. The file comes in slices: one large message would hold up the server. */
export type DecoderCommand = { kind: 'slice'; bytes: Uint8Array } | { kind: 'decode'; limits: AudioLimits };

export type DecoderAnswer =
  /** What the container says of its length, before anything is decoded. */
  | { kind: 'opened'; seconds: number }
  | { kind: 'samples'; pcm: Float32Array }
  | { kind: 'done'; durationMs: number }
  | { kind: 'not audio' }
  | { kind: 'bad audio'; message: string; cause: string };

const samplesPerMessage = 262_144;
let slices: Uint8Array[] = [];

const answer = (message: DecoderAnswer) => process.send?.(message);

async function decode(limits: AudioLimits): Promise<void> {
  const file = Buffer.concat(slices);
  slices = [];
  try {
    const { pcm, durationMs } = await decodeFile(file, limits, (seconds) =>
      answer({ kind: 'opened', seconds }),
    );
    for (let at = 0; at < pcm.length; at += samplesPerMessage)
      answer({ kind: 'samples', pcm: pcm.slice(at, at + samplesPerMessage) });
    answer({ kind: 'done', durationMs });
  } catch (error) {
    if (error instanceof NotAudio) answer({ kind: 'not audio' });
    else {
      const { message, cause } = error instanceof BadAudio ? error : damagedAudio(error);
      answer({ kind: 'bad audio', message, cause: String(cause ?? message) });
    }
  }
}

process.on('message', (command: DecoderCommand) => {
  if (command.kind === 'slice') slices.push(command.bytes);
  else void decode(command.limits);
});
endWithParent();
