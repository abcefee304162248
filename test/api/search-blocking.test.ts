import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
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

    test('a note of 349,000 ligatures, each of which is eighteen letters', { tags: 'slow' }, async () => {
      const turns = await turnsDuring(async () =>
        expect((await create('\uFDFA'.repeat(349_000))).status).toBe(201),
      );
      expect(turns).toBeGreaterThan(manyTurns);
    });

    test('a phrase of 160 words against ten notes of a megabyte that repeat one of them', {
      tags: 'slow',
    }, async () => {
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
      const query = 'common rare';
      const request = { ownerId, query, limit: 9, filter: {}, highlights: false };
      expect(await steno.database.search.find({ ...request, timeLimitMs: 60_000 })).toMatchObject({
        complete: true,
      });
      const late = await steno.database.search.find({ ...request, timeLimitMs: -1 });
      expect(late).toMatchObject({ complete: false, total: 1 });
      const mistyped = { ...request, query: 'comomn rrae', timeLimitMs: -1 };
      expect(await steno.database.search.find(mistyped)).toMatchObject({ complete: false, total: 0 });
    });

    describe('more searches than the thread is given at once:', () => {
      /** Whoever it is, with one note. */
      async function owner(): Promise<string> {
        const { key } = await steno.person();
        return (await steno.call('POST', '/notes/create', { key, body: { content: 'word' } })).body.data
          .user_id;
      }
      const search = (ownerId: string, client?: AbortSignal) =>
        steno.database.search.find(
          { ownerId, query: 'word', limit: 9, filter: {}, highlights: false },
          client,
        );
      const many = (ownerId: string) => Array.from({ length: 30 }, () => search(ownerId));

      test('one whose client has gone is dropped, and the others are answered', async () => {
        const ada = await owner();
        const [before, client] = [many(ada), new AbortController()];
        const dropped = search(ada, client.signal);
        const after = search(ada);
        client.abort(new Error('gone'));
        await expect(dropped).rejects.toThrow('gone');
        for (const { total } of await Promise.all([...before, after])) expect(total).toBe(1);
      });

      test('one whose turn does not come in time is 503, and the next is answered', async () => {
        const ada = await owner();
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        const all = Promise.allSettled(many(ada));
        vi.advanceTimersByTime(30_000);
        vi.useRealTimers();
        const refused = (await all).filter(({ status }) => status === 'rejected');
        expect(refused.length).toBeGreaterThan(0);
        expect(refused.length).toBeLessThan(30);
        for (const one of refused)
          expect(one).toMatchObject({ reason: { code: 'service_unavailable', retryAfterSeconds: 5 } });
        expect((await search(ada)).total).toBe(1);
      });

      test('another person does not wait for all of them', async () => {
        const [ada, eve] = [await owner(), await owner()];
        const ended: string[] = [];
        const told = (name: string, answer: Promise<unknown>) => answer.then(() => ended.push(name));
        await Promise.all([...many(ada).map((one) => told('ada', one)), told('eve', search(eve))]);
        // The thread has 16 of the 30, and takes the owners in turn.
        expect(ended.indexOf('eve')).toBeLessThan(16);
      });
    });
  },
);
