import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analyseNote, parseQuery, type SearchText } from '../../src/domain/search-text.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { insertNote, userRow } from '../support/rows.ts';
import { databaseKinds } from '../support/steno.ts';
import { openStore, type TestStore } from '../support/store.ts';

const text = (content: string, title: string | null = null): SearchText =>
  analyseNote({ title, content, enhanced_content: null, transcript: null });

const times = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index));

const worstCases = {
  'many short words': times(60_000, (index) => index.toString(36)),
  'the widest words': times(4_000, (index) => '𐐨'.repeat(60) + String(index).padStart(4, '0')),
  'words with a form each': times(
    30_000,
    (index) => `${index.toString(2).replaceAll('0', 'o').replaceAll('1', 'l')}ings`,
  ),
  // 64 words use up all positions; every odd length costs a byte of padding.
  'as many bytes as the bound admits': [
    ...times(64 * 255, (index) => `r${index % 64}`),
    ...times(50_000, (index) => `w${String(index).padStart(index % 2 ? 12 : 14, '0')}`),
  ],
};

describe.each(databaseKinds)('the search index on %s', (databaseKind) => {
  let steno: TestStore;
  beforeAll(async () => {
    steno = await openStore(databaseKind);
  });
  afterAll(() => steno.close());

  async function newOwner(): Promise<string> {
    const user = userRow();
    await steno.store.users.insert(user);
    return user.id;
  }

  /** A note to hang words on; PostgreSQL keeps them only for notes that exist. */
  async function noteOf(ownerId: string): Promise<number> {
    const { row } = await insertNote(steno.store, ownerId, { content: 'placeholder' });
    const { seq } = await steno.database.db
      .selectFrom('notes')
      .select('seq')
      .where('id', '=', row.id)
      .executeTakeFirstOrThrow();
    return seq;
  }

  const put = (seq: number, ownerId: string, words: SearchText) =>
    steno.database.write((db) => steno.database.search.put(db, seq, ownerId, words));

  async function indexed(ownerId: string, words: SearchText): Promise<number> {
    const seq = await noteOf(ownerId);
    await put(seq, ownerId, words);
    return seq;
  }

  async function find(ownerId: string, query: string, limit = 50): Promise<number[]> {
    const hits = await steno.database.search.find(ownerId, parseQuery(query), limit);
    for (const { rank } of hits) expect(rank).toBeGreaterThan(0);
    expect(hits.map(({ rank }) => rank)).toEqual(hits.map(({ rank }) => rank).sort((a, b) => b - a));
    return hits.map(({ seq }) => seq);
  }

  test('putting again replaces what was there, removing leaves nothing, twice is fine', async () => {
    const owner = await newOwner();
    const seq = await indexed(owner, text('apples and pears'));
    await put(seq, owner, text('plums', 'pears'));
    expect(await find(owner, '"apples"')).toEqual([]);
    expect(await find(owner, '"pears"')).toEqual([seq]);
    for (let time = 0; time < 2; time += 1) {
      await steno.database.write((db) => steno.database.search.remove(db, seq));
      expect(await find(owner, '"plums"')).toEqual([]);
    }
  });

  test('a write that fails leaves the index as it was', async () => {
    const owner = await newOwner();
    const seq = await indexed(owner, text('before'));
    const failing = steno.database.write(async (db) => {
      await steno.database.search.put(db, seq, owner, text('during'));
      await steno.database.search.remove(db, seq);
      throw new Error('second thoughts');
    });
    await expect(failing).rejects.toThrow('second thoughts');
    expect(await find(owner, '"before"')).toEqual([seq]);
    expect(await find(owner, '"during"')).toEqual([]);
  });

  test('owners who use the same words find their own notes only, and no more than they ask for', async () => {
    const [ada, eve] = [await newOwner(), await newOwner()];
    const mine = await Promise.all([1, 2, 3].map(() => indexed(ada, text('the same words'))));
    const theirs = await indexed(eve, text('the same words', 'same'));
    expect((await find(ada, 'same words')).sort((a, b) => a - b)).toEqual(mine.sort((a, b) => a - b));
    expect(await find(ada, 'same words', 2)).toHaveLength(2);
    expect(await find(eve, '"same words"')).toEqual([theirs]);
    expect(await find(newUuid(), 'same')).toEqual([]);
  });

  test('an owner’s id is no word: neither whole, nor in parts, nor as a prefix', async () => {
    const owner = await newOwner();
    await indexed(owner, text('plain words'));
    const parts = owner.split('-');
    for (const query of [owner, `"${owner}"`, owner.replaceAll('-', ''), owner.slice(0, 4), ...parts])
      expect(await find(owner, query)).toEqual([]);
  });

  test('a phrase stays within one field and in its order', async () => {
    const owner = await newOwner();
    const seq = await indexed(owner, text('gamma delta', 'alpha beta'));
    expect(await find(owner, '"alpha beta"')).toEqual([seq]);
    expect(await find(owner, '"gamma delta"')).toEqual([seq]);
    expect(await find(owner, '"beta gamma"')).toEqual([]);
    expect(await find(owner, '"beta alpha"')).toEqual([]);
    expect(await find(owner, 'delta alpha')).toEqual([seq]);
  });

  test('a phrase is found beyond position 16,383, and only where it is', async () => {
    const owner = await newOwner();
    const filler = Array.from({ length: 20_000 }, (_, index) => `w${index % 7000}`).join(' ');
    const long = await indexed(owner, text(`${filler} needle in haystack ${filler}`));
    const other = await indexed(owner, text(`${filler} haystack in needle ${filler}`));
    expect(await find(owner, '"needle in haystack"')).toEqual([long]);
    expect(await find(owner, '"haystack in needle"')).toEqual([other]);
    expect(await find(owner, '"in needle in"')).toEqual([]);
    expect((await find(owner, 'needle')).sort((a, b) => a - b)).toEqual([long, other]);
    expect(await find(owner, 'w1 "needle in haystack" hayst')).toEqual([long]);
    expect(await find(await newOwner(), '"needle in haystack"')).toEqual([]);
  });

  test('a phrase is found after its word has come 300 times', async () => {
    const owner = await newOwner();
    const seq = await indexed(owner, text(`${'echo nothing '.repeat(300)} echo chamber`));
    expect(await find(owner, '"echo chamber"')).toEqual([seq]);
    expect(await find(owner, '"chamber echo"')).toEqual([]);
    await put(seq, owner, text('echo alone'));
    expect(await find(owner, '"echo chamber"')).toEqual([]);
  });

  test('words count to their 64th character, whatever its width', async () => {
    const owner = await newOwner();
    for (const letter of ['a', 'ж', '字', '𐐨']) {
      const word = letter === '字' ? 'x'.repeat(64) : letter.repeat(64);
      const seq = await indexed(owner, text(`${word}${letter}tail`));
      expect(await find(owner, `"${word}"`)).toEqual([seq]);
      expect(await find(owner, word.slice(0, 40))).toEqual([seq]);
      await steno.database.write((db) => steno.database.search.remove(db, seq));
    }
  });

  test.each(Object.entries(worstCases))('a note of %s is stored and found', async (_, words) => {
    const owner = await newOwner();
    const content = words.join(' ');
    const seq = await indexed(owner, text(content));
    expect(await find(owner, `"${words[0]}"`)).toEqual([seq]);
    expect(await find(owner, `"${words[2000]} ${words[2001]}"`)).toEqual([seq]);
  });

  test('whatever people write and ask, both the words and the whole text find their note', async () => {
    const owner = await newOwner();
    const seq = await noteOf(owner);
    const alphabet = fc.constantFrom(...`ab'"\\:*()&|!<->-^~{}[]+,.;$%@#/?_ éß字かไท𐐨\u0301\uE000\uE002`);
    const anyText = fc.string({ unit: alphabet, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(anyText, anyText, async (content, query) => {
        await put(seq, owner, text(content));
        const clauses = parseQuery(query);
        if (clauses.length > 0) await steno.database.search.find(owner, clauses, 5);
        const own = parseQuery(content);
        if (own.length > 0) expect(await find(owner, content)).toEqual([seq]);
      }),
      { numRuns: 150 },
    );
  });
});

test.runIf(databaseKinds.includes('postgres'))(
  'the largest entry of a note fits a tsvector, whose strings and positions end at a megabyte',
  async () => {
    const steno = await openStore('postgres');
    const user = userRow();
    await steno.store.users.insert(user);
    await insertNote(steno.store, user.id, {
      content: worstCases['as many bytes as the bound admits'].join(' '),
    });
    // Besides strings and positions a tsvector holds 8 bytes and 4 for each word.
    const { rows } = await sql<{ bytes: number; words: number }>`
    select pg_column_size(words::text::tsvector) - 8 - 4 * length(words) as bytes, length(words) as words
    from note_search`.execute(steno.database.db);
    expect(rows[0]?.words).toBeGreaterThan(49_000);
    expect(rows[0]?.bytes).toBeGreaterThan(900_000);
    expect(rows[0]?.bytes).toBeLessThan(2 ** 20);
    await steno.close();
  },
);
