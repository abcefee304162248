import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { corpus, distinctWord, vocabulary } from '../support/corpus.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const corpusSize = 250;
const maxFound = 50;

const long = Array.from({ length: 40_000 }, (_, index) => `word${index % 900}`);
const longNote = `${long.join(' ')} purple elephants dancing slowly`;
const wideNote = `${Array.from({ length: 60_000 }, (_, index) => distinctWord(index)).join(' ')} unreachable zebra`;

describe('both databases find the same notes in the same order', () => {
  const servers: { steno: TestSteno; key: string; names: Map<string, number> }[] = [];
  let now = Date.UTC(2026, 4, 1);

  beforeAll(async () => {
    const notes = corpus(corpusSize);
    const all = [...notes, { content: longNote }, { content: wideNote.slice(0, 1_000_000) }];
    for (const databaseKind of ['sqlite', 'postgres'] as const) {
      const steno = await startSteno({ databaseKind, clock: () => now });
      const { key } = await steno.person();
      const names = new Map<string, number>();
      // One after the other: of notes that match alike the newer comes first.
      for (const [at, body] of all.entries()) {
        if (at % 50 === 0) now += 60_000;
        const answer = await steno.call('POST', '/notes/create', { key, body });
        names.set(answer.body.data.id, at);
      }
      // Long notes are indexed after their answer; until then their words count in another way.
      await steno.database.search.indexPending();
      servers.push({ steno, key, names });
    }
  });
  afterAll(async () => {
    for (const { steno } of servers) await steno.close();
  });

  /** The numbers of the notes found, on each database. A day later at each call, beyond every rate limit. */
  async function found(query: string): Promise<{ note: number; score: string }[][]> {
    now += 86_400_000;
    return Promise.all(
      servers.map(async ({ steno, key, names }) => {
        const answer = await steno.call('POST', '/notes/search', { key, body: { query, limit: maxFound } });
        expect([query, answer.status]).toEqual([query, 200]);
        return answer.body.data.map(({ id, score }: { id: string; score: number }) => ({
          note: names.get(id),
          score: score.toFixed(9),
        }));
      }),
    );
  }

  async function expectSame(query: string): Promise<number> {
    const [sqlite = [], postgres = []] = await found(query);
    expect([query, postgres]).toEqual([query, sqlite]);
    return sqlite.length;
  }

  test.each(Object.entries(vocabulary))(
    'for every word of %s and for each pair of neighbours',
    async (_language, words) => {
      let hits = 0;
      for (const [index, word] of words.entries()) {
        hits += await expectSame(word);
        const next = words[index + 1];
        if (next)
          for (const query of [`${word} ${next}`, `"${word} ${next}"`, `${next} ${word.slice(0, 3)}`])
            await expectSame(query);
      }
      expect(hits).toBeGreaterThan(0);
    },
  );

  test.each([
    ['the phrase at the very end of a long note', '"elephants dancing slowly"', [corpusSize]],
    ['a phrase in its middle', '"word899 word0"', [corpusSize]],
    ['a phrase that is only almost in it', '"dancing elephants"', []],
    ['a phrase across its end', '"word5 word7"', []],
    ['a phrase and a word', '"purple elephants" word17', [corpusSize]],
    ['a phrase and the beginning of a word', '"purple elephants" slow', [corpusSize]],
    ['one of fifty thousand words', distinctWord(45_000), [corpusSize + 1]],
    ['two neighbours among them', `"${distinctWord(30_000)} ${distinctWord(30_001)}"`, [corpusSize + 1]],
    ['two that are not neighbours', `"${distinctWord(30_000)} ${distinctWord(30_002)}"`, []],
  ])('for %s', async (_name, query, notes) => {
    const numbers = (await found(query)).map((answer) => answer.map(({ note }) => note));
    expect(numbers).toEqual([notes, notes]);
  });

  const word = fc.constantFrom(...Object.values(vocabulary).flat());
  const piece = fc.oneof(
    word,
    fc.tuple(word, word).map(([one, other]) => `"${one} ${other}"`),
    fc.tuple(word, fc.nat(4)).map(([whole, length]) => whole.slice(0, length)),
    fc.constantFrom('AND', 'OR', '"', '*', ':*', '(', ')', '!', '&', '|', "'", '\\', '-', '<->', 'NEAR'),
  );
  const query = fc
    .oneof(
      fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(' ')),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    )
    .filter((text) => text !== '' && !text.includes('\0') && text.isWellFormed());

  test('for whatever people type', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        await expectSame(text);
      }),
      { numRuns: 100 },
    );
  });
});
