import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownedBy } from '../../src/domain/owner.ts';
import { transcribe } from '../../src/features/transcribe/transcribe.ts';
import { totalOf } from '../../src/features/usage/queries.ts';
import { contextFor } from '../../src/kernel/run.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { createIdempotencyStore } from '../../src/platform/database/idempotency.ts';
import { failingDatabase } from '../support/failing-database.ts';
import { at, personOf, userRow } from '../support/rows.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { databaseKinds } from '../support/steno.ts';
import { openStore, type TestStore } from '../support/store.ts';

const mostStatements = 60;

describe.each(databaseKinds)('when the answer of a statement of %s is lost', (databaseKind) => {
  let steno: TestStore;
  let failing: ReturnType<typeof failingDatabase>;
  beforeAll(async () => {
    steno = await openStore(databaseKind);
    failing = failingDatabase(steno.database);
  });
  afterAll(() => steno.close());

  /** Each statement in turn, until there are no more. */
  async function failEach(
    before: () => Promise<void>,
    run: () => Promise<unknown>,
    then: (statement: number) => Promise<void>,
  ) {
    for (let statement = 1; statement < mostStatements; statement += 1) {
      await before();
      failing.failAt({ at: statement, lasting: 4, isDone: true });
      // Silent: the test looks at what is left.
      await run().catch(() => {});
      const hasFailed = failing.failed() > 0;
      failing.failAt(undefined);
      await then(statement);
      if (!hasFailed) return;
    }
    expect.fail('there are more statements than expected');
  }

  test('an Idempotency-Key is free as soon as its request has failed', async () => {
    const idempotency = createIdempotencyStore(failing.database);
    const row = () => ({ id: newUuid(), caller: 'c', route: 'r', keyHash: 'k', expiresAt: at(10_000) });
    await failEach(
      async () => {},
      async () => {
        const first = row();
        await idempotency.begin(first, at(0));
        await idempotency.end(first.id, true);
      },
      async (statement) => {
        const again = row();
        expect([statement, await idempotency.begin(again, at(0))]).toEqual([statement, 'begun']);
        await idempotency.end(again.id, true);
      },
    );
  });

  test('POST /transcribe charges what it stored, and its key is free after 20 s', async () => {
    let now = Date.parse(at(0));
    const clock = () => now;
    const speech = { ...createFakeSpeech(), formats: async () => [], underWay: new Set<Promise<unknown>>() };
    const parts = { ...steno.parts, clock, speech: () => speech };
    const run = (userId: string) => {
      const actor = { database: failing.database, clock, newId: newUuid, parts };
      const context = { ...contextFor(actor, personOf(userId)), complete: undefined };
      return transcribe(context, async () => ({ audio: recording({ ms: 1_000 }) }), {
        client: new AbortController().signal,
      });
    };
    let userId = '';
    await failEach(
      async () => {
        const user = userRow();
        await steno.store.users.insert(user);
        userId = user.id;
      },
      () => run(userId),
      async (statement) => {
        now += 21_000;
        await run(userId);
        const page = { limit: 9, withSegments: false };
        const stored = await steno.store.transcriptions.list(ownedBy(userId), page);
        const { audioMs } = await totalOf(steno.database.db, userId, { from: at(0), until: at(100_000) });
        expect([statement, audioMs]).toEqual([statement, 1_000 * stored.length]);
      },
    );
  });
});
