import { describeFault, type Log } from '../lib/log.ts';

interface Parts {
  /** Notes that are not indexed yet. */
  count(): Promise<number>;
  /** Resolves when all are. */
  index(): Promise<void>;
  log: Log;
  everyMs?: number;
}

const defaultEveryMs = 10_000;

/** Indexes what waits, in the background, and tells how far it is: after a new analyser that is every note. */
export async function indexAndTell({ count, index, log, everyMs = defaultEveryMs }: Parts): Promise<void> {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10;
  let timer: NodeJS.Timeout | undefined;
  try {
    const notes = await count();
    if (notes === 0) return;
    log.info({ notes }, 'Indexing notes for search; until it is done, a search may miss some');
    timer = setInterval(() => {
      void count().then(
        (left) => log.info({ notes, left, seconds: seconds() }, 'Still indexing notes for search'),
        // The indexing itself tells what is wrong.
        () => {},
      );
    }, everyMs).unref();
    await index();
    log.info({ notes, seconds: seconds() }, 'All notes are indexed for search');
  } catch (cause) {
    log.error({ fault: describeFault(cause) }, 'Indexing notes for search stopped; the next start goes on');
  } finally {
    clearInterval(timer);
  }
}
