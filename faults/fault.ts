import type { seededRandom } from '../test/support/random.ts';

export interface Fault {
  fault: string;
  promise: string;
  /** The system that it can be tried on; any, if it is missing. */
  needs?: NodeJS.Platform;
  run(settings: { random: ReturnType<typeof seededRandom>; rounds: number }): Promise<Outcome>;
}

export interface Outcome {
  held: boolean;
  figure: string;
}
