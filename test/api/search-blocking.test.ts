import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseQuery } from '../../src/domain/search/query.ts';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

/** Turns of the event loop while `work` is under way. What computes on the loop leaves room for a few dozen. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return turns;
}

const manyTurns = 300;

describe.each(databaseKinds)(
  'while one person searches or stores much, on %s, others are answered:',
  (databaseKind) => {
    let steno: TestSteno;
    let key: string;
    let now = Date.UTC(2026, 4, 1);
    beforeAll(async () => {
      steno = await startSteno({ databaseKind, clock: () => now });
      ({ key } = await steno.person());
    });
    afterAll(() => steno.close());

    const create = (content: string) => steno.call('POST', '/notes/create', { key, body: { content } });
    const search = (body: object) => steno.call('POST', '/notes/search', { key, body });

    test('a note of 349,000 ligatures, each of which is eighteen letters', async () => {
      const turns = await turnsDuring(async () =>
        expect((await create('\uFDFA'.repeat(349_000))).status).toBe(201),
      );
      expect(turns).toBeGreaterThan(manyTurns);
    });

    test('a phrase of 160 words against ten notes of a megabyte that repeat one of them', async () => {
      for (let note = 0; note < 10; note += 1) {
        now += 60_000;
        expect((await create('ab '.repeat(340_000))).status).toBe(201);
      }
      const query = `"${'ab '.repeat(160)}"`;
      const turns = await turnsDuring(async () => expect((await search({ query })).status).toBe(200));
      expect(turns).toBeGreaterThan(manyTurns);
    });

    test('when the time is up the best so far is the answer, and the answer says so', async () => {
      const { key: theirs } = await steno.person();
      const [{ user_id: ownerId }] = await Promise.all(
        ['common rare', 'common thing', 'common'].map(
          async (content) =>
            (await steno.call('POST', '/notes/create', { key: theirs, body: { content } })).body.data,
        ),
      );
      const query = parseQuery('common rare');
      const request = { ownerId, query, limit: 9, filter: {}, highlights: false };
      expect(await steno.database.search.find({ ...request, timeLimitMs: 60_000 })).toMatchObject({
        complete: true,
      });
      const late = await steno.database.search.find({ ...request, timeLimitMs: -1 });
      expect(late).toMatchObject({ complete: false, total: 1 });
      const mistyped = { ...request, query: parseQuery('comomn rrae'), timeLimitMs: -1 };
      expect(await steno.database.search.find(mistyped)).toMatchObject({ complete: false, total: 0 });
    });
  },
);
