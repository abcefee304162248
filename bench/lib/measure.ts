/** One row of the table that `npm run bench` prints. */
export interface Measure {
  name: string;
  goal: string;
  run(options: BenchOptions): Promise<{ value: number; met: boolean; detail: string }>;
}

export interface BenchOptions {
  /** 1 for the real sizes; less for a quick look. */
  scale: number;
}
