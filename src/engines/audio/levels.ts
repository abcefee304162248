import { pcmRate } from '../../domain/audio.ts';

/** As many as a wide screen can show. */
const mostLevels = 1_000;
const firstSamples = pcmRate / 100;

/**
 * How loud audio of any length is from beginning to end, in at most `mostLevels` parts: when there are more, each two become
 * one. So a level always stands for the same time, and nothing has to be known beforehand.
 */
export function createLevels() {
  const sums = new Float64Array(mostLevels);
  let each = firstSamples;
  let full = 0;
  let sum = 0;
  let count = 0;

  function keep(): void {
    // A damaged file may decode to something that is no number.
    sums[full++] = Number.isFinite(sum) ? sum : 0;
    sum = 0;
    count = 0;
    if (full < mostLevels) return;
    for (let at = 0; at < mostLevels / 2; at++) sums[at] = (sums[2 * at] ?? 0) + (sums[2 * at + 1] ?? 0);
    full = mostLevels / 2;
    each *= 2;
  }

  return {
    add(samples: Float32Array): void {
      for (const sample of samples) {
        sum += sample * sample;
        count += 1;
        if (count === each) keep();
      }
    },

    /** From 0 to 255, the loudest. The square root of the level keeps quiet speech visible beside loud speech. */
    peaks(): Uint8Array {
      if (count > 0) keep();
      const levels = sums.subarray(0, full).map((squares) => Math.sqrt(squares / each));
      const loudest = levels.reduce((most, level) => Math.max(most, level), 0.001);
      return Uint8Array.from(levels, (level) => Math.round(Math.sqrt(level / loudest) * 255));
    },
  };
}
