import { pcmRate } from '../../domain/audio.ts';

const frameSamples = pcmRate / 50;
/** Shorter than a pause between words in fluent speech, longer than one within a word. */
const framesPerPause = 6;

/** The middle of the quietest 120 ms in the middle half. */
export function quietestSample(pcm: Float32Array): number {
  const count = Math.floor(pcm.length / frameSamples);
  const sums = new Float64Array(count + 1);
  for (let frame = 0; frame < count; frame++) {
    let energy = 0;
    for (const sample of pcm.subarray(frame * frameSamples, (frame + 1) * frameSamples))
      energy += sample * sample;
    sums[frame + 1] = (sums[frame] as number) + energy;
  }
  const energyAt = (frame: number) => (sums[frame + framesPerPause] as number) - (sums[frame] as number);
  let best = Math.floor(count / 4);
  for (let frame = best; frame < (count * 3) / 4 - framesPerPause; frame++)
    if (energyAt(frame) < energyAt(best)) best = frame;
  return (best + framesPerPause / 2) * frameSamples;
}
