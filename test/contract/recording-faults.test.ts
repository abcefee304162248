import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFailingQueue } from '../support/failing-queue.ts';
import { databaseKinds } from '../support/steno.ts';

// More failures, and live uploads, are in recording-faults.slow.test.ts.

const ms = 1_000;
/** More than one job needs, with what follows a failure. */
const mostStatements = 100;

describe.each(databaseKinds)('when %s fails during a job', (databaseKind) => {
  let queue: Awaited<ReturnType<typeof startFailingQueue>>;
  beforeAll(async () => {
    queue = await startFailingQueue(databaseKind, ms);
  });
  afterAll(() => queue.close());

  test('at any statement, whose answer is lost, the recording ends once and waits for no restart', {
    tags: 'slow',
  }, async () => {
    for (let at = 1; at < mostStatements; at += 1) {
      const userId = await queue.person();
      await queue.queued(userId);
      queue.failing.failAt({ at, lasting: 8, isDone: true });
      expect([at, await queue.settled(userId)]).toEqual([at, ['done']]);
      expect([at, await queue.charged(userId)]).toEqual([at, { ms, transcriptions: 1, notes: 1 }]);
      if (queue.failing.failed() === 0) return;
    }
    expect.fail('the work has more statements than expected');
  });

  test('at any statement of an upload, nothing is left of one that did not arrive, without a restart', async () => {
    for (let at = 1; at < mostStatements; at += 1) {
      const userId = await queue.person();
      queue.failing.failAt({ at, lasting: 4, isDone: true });
      await queue.upload(userId);
      const hasFailed = queue.failing.failed() > 0;
      queue.failing.failAt(undefined);
      await queue.tidy();
      // One that was queued before its answer got lost is carried out.
      const states = await queue.settled(userId);
      expect([at, states]).toEqual([at, states.length === 0 ? [] : ['done']]);
      expect([at, await queue.lostAudio()]).toEqual([at, []]);
      if (!hasFailed) return;
    }
    expect.fail('an upload has more statements than expected');
  });
});
