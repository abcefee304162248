import {
  type AudioCodec,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacketSink,
  FlacOutputFormat,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
  WavOutputFormat,
  WebMOutputFormat,
} from 'mediabunny';
import { wholeFile } from '../../src/engines/audio/file-bytes.ts';
import { openTrack } from '../../src/engines/audio/open-track.ts';
import { defaultAudioLimits } from '../../src/engines/audio/sniff.ts';
import { flacBomb } from './flac-bomb.ts';
import { recording } from './sound.ts';
import { randomFrom } from './whisper-file.ts';

const mebibyte = 1_048_576;

/** Made for as long as it fits into the bytes: the speech of a recording again and again. */
async function longCopy(
  name: string,
  codec: AudioCodec,
  format: OutputFormat,
  bytes: number,
): Promise<Uint8Array> {
  const { track } = await openTrack(wholeFile(recording(name)), defaultAudioLimits);
  const decoderConfig = await track.getDecoderConfig();
  if (decoderConfig === null) throw new Error('no decoder configuration');
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const source = new EncodedAudioPacketSource(codec);
  output.addAudioTrack(source);
  await output.start();
  let [written, seconds] = [0, 0];
  while (written < bytes)
    for await (const packet of new EncodedPacketSink(track).packets()) {
      await source.add(packet.clone({ timestamp: seconds }), { decoderConfig });
      seconds += packet.duration;
      written += packet.data.length;
      if (written >= bytes) break;
    }
  await output.finalize();
  return new Uint8Array(target.buffer ?? new ArrayBuffer());
}

export const longOpus = (bytes: number) => longCopy('jfk.ogg', 'opus', new OggOutputFormat(), bytes);

/** One of each kind that is decoded in another way. */
export const longRecordings = async (bytes: number): Promise<Record<string, Uint8Array>> => ({
  'long MP3': await longCopy('jfk.mp3', 'mp3', new Mp3OutputFormat(), bytes),
  'long AAC in MP4': await longCopy('jfk.m4a', 'aac', new Mp4OutputFormat(), bytes),
  'long FLAC': await longCopy('jfk.flac', 'flac', new FlacOutputFormat(), bytes),
  'long Opus in WebM': await longCopy('jfk.webm', 'opus', new WebMOutputFormat(), bytes),
  'long µ-law in WAV': await longCopy('jfk_mulaw.wav', 'ulaw', new WavOutputFormat(), bytes),
});

/** As many samples as a file can hold: eight channels of noise at 192 kHz. */
function wideWav(bytes: number): Uint8Array {
  const wav = Buffer.alloc(bytes);
  const [channels, rate] = [8, 192_000];
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(bytes - 8, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(channels, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate * channels * 2, 28);
  wav.writeUInt16LE(channels * 2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(bytes - 44, 40);
  const random = randomFrom(7);
  for (let at = 44; at + 1 < bytes; at += 2) wav.writeInt16LE(Math.floor(random() * 10_000), at);
  return wav;
}

/** Files of our own making that once took a minute, gigabytes, or made the demuxer go in circles. */
export async function nastyAudio({ flacBlocks = 7_700, opusBytes = 4 * mebibyte - 200_000 } = {}) {
  const zeros = new Uint8Array(400_000);
  zeros.set(recording('jfk.webm').slice(0, 300));
  return {
    'a small FLAC of hours of silence': flacBomb(flacBlocks),
    'a FLAC cut to 200 bytes': recording('jfk.flac').slice(0, 200),
    'the head of a WebM, then zeros': zeros,
    'long Opus': await longOpus(opusBytes),
    'eight channels at 192 kHz': wideWav(4 * mebibyte - 1_000),
    ...mutants('jfk.m4a', 3),
    ...mutants('jfk.webm', 2),
    ...mutants('jfk.mp3', 2),
  } satisfies Record<string, Uint8Array>;
}

/** Copies with some bytes of the head and the body changed, the same in every run. */
function mutants(name: string, count: number): Record<string, Uint8Array> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, seed) => {
      const next = randomFrom(seed + 1);
      const random = () => Math.abs(next());
      const file = recording(name);
      for (let i = 0; i < 40; i++) {
        const range = i % 2 === 0 ? Math.min(2_000, file.length) : file.length;
        file[Math.floor(random() * (range - 1))] = Math.floor(random() * 256);
      }
      file.set(recording(name).subarray(0, 12));
      return [`a mutant of ${name}, seed ${seed + 1}`, file];
    }),
  );
}
