export interface Progress {
  /** The share that is done, from 0 to 1, and a label. */
  show(done: number, text: string): void;
  clear(): void;
}

const width = 30;
type Terminal = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

/** A bar on a terminal. Elsewhere nothing: a log or a pipe gets only the result. */
export function progressBar(stderr: Terminal = process.stderr): Progress {
  return {
    show(done, text) {
      if (!stderr.isTTY) return;
      const full = Math.round(done * width);
      const bar = '█'.repeat(full) + '░'.repeat(width - full);
      stderr.write(`\r${bar} ${Math.round(done * 100)} % ${text}\x1b[K`);
    },
    clear() {
      if (stderr.isTTY) stderr.write('\r\x1b[2K');
    },
  };
}

/** The bar; without a terminal, a line for each tenth, so that a log shows progress. */
export function downloadProgress(stderr: Terminal = process.stderr): Progress {
  if (stderr.isTTY) return progressBar(stderr);
  let told = -1;
  return {
    show(done, text) {
      const tenth = Math.floor(done * 10);
      if (tenth > told) stderr.write(`${tenth * 10} % ${text}\n`);
      told = Math.max(told, tenth);
    },
    clear() {},
  };
}
