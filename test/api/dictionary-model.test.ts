import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sameTextKey } from '../../src/lib/text.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

interface Entry {
  id: string;
  word: string;
}
type Step =
  | { do: 'add'; words: string[] }
  | { do: 'change'; at: number; word: string }
  | { do: 'delete'; at: number };

const word = fc.constantFrom(
  'Straße',
  'STRASSE',
  'strasse',
  'ﬁn',
  'fin',
  'Fin',
  'é',
  'e\u0301',
  'sık',
  'sik',
  'b',
);
const at = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('add' as const), words: fc.array(word, { minLength: 1, maxLength: 4 }) }),
  fc.record({ do: fc.constant('change' as const), at, word }),
  fc.record({ do: fc.constant('delete' as const), at }),
);

describe.each(anyDatabase)('a dictionary on %s', (databaseKind) => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
  });
  afterAll(() => steno.close());

  const listed = async (key: string): Promise<Entry[]> =>
    (await steno.call('GET', '/dictionary/list?limit=500', { key })).body.data;

  test('does in any order of calls what a list with unique words does', async () => {
    const run = async (steps: Step[]) => {
      const { key } = await steno.person();
      /** Oldest first. */
      let model: Entry[] = [];
      const same = (spelling: string) =>
        model.find((entry) => sameTextKey(entry.word) === sameTextKey(spelling));
      for (const step of steps) {
        if (step.do === 'add') {
          const { body } = await steno.call('POST', '/dictionary/create', {
            key,
            body: { words: step.words },
          });
          step.words.forEach((spelling, index) => {
            const { id } = body.data[index];
            const known = same(spelling);
            if (known) expect(body.data[index]).toMatchObject(known);
            else model.push({ id, word: spelling });
          });
          continue;
        }
        const target = model[step.at];
        const path = `/dictionary/${target?.id ?? 'none'}`;
        if (step.do === 'delete') {
          expect((await steno.call('DELETE', path, { key })).status).toBe(target ? 204 : 404);
          model = model.filter((entry) => entry !== target);
          continue;
        }
        const other = same(step.word);
        const { status } = await steno.call('PATCH', path, { key, body: { word: step.word } });
        expect(status).toBe(!target ? 404 : other && other !== target ? 409 : 200);
        if (target && status === 200) target.word = step.word;
      }
      const found = await listed(key);
      expect(found.map(({ id, word }) => ({ id, word }))).toEqual(model.toReversed());
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 12 }), run), { numRuns: 25 });
  });

  test('takes any text or refuses it, and gives back what it took', async () => {
    const run = async (words: string[]) => {
      const { key } = await steno.person();
      const { status, body } = await steno.call('POST', '/dictionary/create', { key, body: { words } });
      expect([201, 400]).toContain(status);
      if (status === 400) expect(await listed(key)).toEqual([]);
      else {
        const known = new Map((await listed(key)).map((entry) => [entry.id, entry]));
        body.data.forEach((entry: Entry, index: number) => {
          expect(known.get(entry.id)).toEqual(entry);
          expect(sameTextKey(entry.word)).toBe(sameTextKey(words[index] ?? ''));
        });
      }
    };
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({
        unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
        maxLength: 6,
      }),
      fc.string({ unit: 'grapheme', maxLength: 100 }),
    );
    await fc.assert(fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 3 }), run), {
      numRuns: 60,
    });
  });
});
