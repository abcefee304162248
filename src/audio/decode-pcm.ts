import { AudioSampleSink, type InputAudioTrack, PCM_AUDIO_CODECS } from 'mediabunny';
import { mixDown } from './mix-down.ts';
import type { OpenTrack } from './open-track.ts';
import { inPieces } from './pieces.ts';
import { resample } from './resample.ts';

const pcmCodecs: readonly string[] = PCM_AUDIO_CODECS;

/** Plain samples, also those of telephones (µ-law and A-law). */
export const isPcm = ({ codec }: OpenTrack) => pcmCodecs.includes(codec);

const framesPerPiece = 16_384;

/** Needs no native code, so WAV works on every system. */
export const decodePcm = ({ track }: OpenTrack): AsyncGenerator<Float32Array> =>
  resample(inPieces(readSamples(track), framesPerPiece), Math.round(track.sampleRate));

async function* readSamples(track: InputAudioTrack): AsyncGenerator<Float32Array> {
  for await (const sample of new AudioSampleSink(track).samples()) {
    const channels = Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
      const channel = new Float32Array(sample.numberOfFrames);
      sample.copyTo(channel, { planeIndex, format: 'f32-planar' });
      return channel;
    });
    yield mixDown(channels, sample.numberOfFrames);
    sample.close();
  }
}
