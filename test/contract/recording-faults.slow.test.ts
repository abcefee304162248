import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFailingQueue } from '../support/failing-queue.ts';
import { databaseKinds } from '../support/steno.ts';

/** Three chunks. */
const ms = 45_000;
/** More than two jobs need, with what follows a failure. */
const mostStatements = 250;
/** Trying each statement took 264 s; recording-faults.test.ts does so for one kind of failure. */
const step = 5;

const failures = [
  ['fails once', { lasting: 1, isDone: false }],
  ['fails, and again when the job is put back', { lasting: 8, isDone: false }],
  ['does its work, but its answer is lost', { lasting: 1, isDone: true }],
  ['does its work, but its answer is lost, and it stays away', { lasting: 8, isDone: true }],
] as const;

describe.each(databaseKinds)('when a statement of %s', (databaseKind) => {
  let queue: Awaited<ReturnType<typeof startFailingQueue>>;
  beforeAll(async () => {
    queue = await startFailingQueue(databaseKind, ms);
  });
  afterAll(() => queue.close());

  test.each(failures)('%s, every recording ends once, without a restart', async (_, failure) => {
    for (let at = 1; at < mostStatements; at += step) {
      const userId = await queue.person();
      await queue.queued(userId);
      await queue.queued(userId);
      queue.failing.failAt({ at, ...failure });
      expect([at, await queue.settled(userId)]).toEqual([at, ['done', 'done']]);
      const charged = { ms: 2 * ms, transcriptions: 2, notes: 2 };
      expect([at, await queue.charged(userId)]).toEqual([at, charged]);
      if (queue.failing.failed() === 0) return;
    }
    expect.fail('the work has more statements than expected');
  });

  test.each(failures)('%s during a live upload, it ends once, without a restart', async (_, failure) => {
    for (let at = 1; at < mostStatements; at += step) {
      const userId = await queue.person();
      queue.failing.failAt({ at, ...failure });
      const id = await queue.live(userId);
      for (let look = 0; look < 100 && !(await queue.isTaken(id)); look += 1) {
        queue.wake();
        await sleep(10);
      }
      await queue.complete(id);
      expect([at, await queue.settled(userId)]).toEqual([at, ['done']]);
      expect([at, await queue.charged(userId)]).toEqual([at, { ms, transcriptions: 1, notes: 1 }]);
      if (queue.failing.failed() === 0) return;
    }
    expect.fail('the work has more statements than expected');
  });
});
