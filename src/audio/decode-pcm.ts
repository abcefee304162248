import { AudioSampleSink, PCM_AUDIO_CODECS } from 'mediabunny';
import { joinSamples } from './join-samples.ts';
import { type AudioLimits, refuseTooLong } from './limits.ts';
import { mixDown } from './mix-down.ts';
import type { OpenTrack } from './open-track.ts';
import { resample } from './resample.ts';

const pcmCodecs: readonly string[] = PCM_AUDIO_CODECS;

/** Plain samples, also those of telephones (µ-law and A-law). */
export const isPcm = ({ codec }: OpenTrack) => pcmCodecs.includes(codec);

/** Needs no native code, so WAV works on every system. */
export async function decodePcm({ track }: OpenTrack, limits: AudioLimits): Promise<Float32Array> {
  const rate = Math.round(track.sampleRate);
  const pieces: Float32Array[] = [];
  let samples = 0;
  for await (const sample of new AudioSampleSink(track).samples()) {
    const channels = Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
      const channel = new Float32Array(sample.numberOfFrames);
      sample.copyTo(channel, { planeIndex, format: 'f32-planar' });
      return channel;
    });
    pieces.push(mixDown(channels, sample.numberOfFrames));
    samples += sample.numberOfFrames;
    sample.close();
    refuseTooLong(samples / rate, limits);
  }
  return resample(joinSamples(pieces, samples), rate);
}
