import { DatabaseSync } from 'node:sqlite';

const againMs = 200;
const maxAttempts = 50;
/** A person who writes replaces a text every few seconds, and a server with many writers empties the log for all of them at once. */
const replacedMs = 2_000;

/**
 * Empties the write-ahead log after something was deleted, because the log still has the text in it. It never waits: while
 * another connection reads or writes it tries again, and after ten seconds of that the next deletion does it.
 */
export function createLogEraser(file: string) {
  let timer: NodeJS.Timeout | undefined;

  function isErased(): boolean {
    try {
      // Fails too while the process has no file to open left; what a timer throws is not caught.
      using connection = new DatabaseSync(file, { timeout: 0 });
      return connection.prepare('pragma wal_checkpoint(truncate)').get()?.busy === 0;
    } catch {
      return false;
    }
  }

  let isSlow = false;
  function later(attempt: number, ms = againMs): void {
    isSlow = ms > againMs;
    timer = setTimeout(() => {
      timer = undefined;
      if (!isErased() && attempt < maxAttempts) later(attempt + 1);
    }, ms).unref();
  }

  return {
    erase(): void {
      if (timer !== undefined && !isSlow) return;
      clearTimeout(timer);
      later(1);
    },
    /** For a text that another one replaced. */
    eraseLater(): void {
      if (timer === undefined) later(1, replacedMs);
    },
    /** A process that ends at once, such as a command beside a server, does it now. */
    close(): void {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      isErased();
    },
  };
}
