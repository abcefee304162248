import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analyseNote, type SearchableNote } from '../../src/engines/search/analyse/analyser.ts';
import { createMemoryIndex } from '../../src/engines/search/index/memory-index.ts';
import { parseQuery } from '../../src/engines/search/rank/query.ts';
import { rank } from '../../src/engines/search/rank/rank.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { insertNote, userRow } from '../support/rows.ts';
import { databaseKinds } from '../support/steno.ts';
import { openStore, type TestStore } from '../support/store.ts';

const text = (content: string, title: string | null = null): SearchableNote => ({
  title,
  content,
  enhanced_content: null,
  transcript: null,
});

const times = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index));

const inAll = { limit: 50, filter: {}, highlights: false, timeLimitMs: 60_000 };

const worstCases = {
  'many short words': times(60_000, (index) => index.toString(36)),
  'the widest words': times(4_000, (index) => '𐐨'.repeat(60) + String(index).padStart(4, '0')),
  'words with a form each': times(
    30_000,
    (index) => `${index.toString(2).replaceAll('0', 'o').replaceAll('1', 'l')}ings`,
  ),
  'as many distinct words as the bound admits': times(
    50_000,
    (index) => `w${String(index).padStart(12, '0')}`,
  ),
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

  async function noteOf(ownerId: string): Promise<number> {
    const { row } = await insertNote(steno.store, ownerId, { content: 'placeholder' });
    const { seq } = await steno.database.db
      .selectFrom('notes')
      .select('seq')
      .where('id', '=', row.id)
      .executeTakeFirstOrThrow();
    return seq;
  }

  async function put(seq: number, ownerId: string, note: SearchableNote): Promise<void> {
    const isIndexed = await steno.database.write(async (db) => {
      await db.updateTable('notes').set(note).where('seq', '=', seq).execute();
      return steno.database.search.put(db, seq, ownerId, note);
    });
    if (!isIndexed) await steno.database.search.indexPending();
  }

  async function indexed(ownerId: string, note: SearchableNote): Promise<number> {
    const seq = await noteOf(ownerId);
    await put(seq, ownerId, note);
    return seq;
  }

  async function find(ownerId: string, query: string, limit = 50): Promise<number[]> {
    const { hits } = await steno.database.search.find({ ...inAll, ownerId, query, limit });
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
      await steno.database.write((db) => steno.database.search.remove(db, [seq]));
      expect(await find(owner, '"plums"')).toEqual([]);
    }
  });

  test('a write that fails leaves the index as it was', async () => {
    const owner = await newOwner();
    const seq = await indexed(owner, text('before'));
    const failing = steno.database.write(async (db) => {
      await steno.database.search.put(db, seq, owner, text('during'));
      await steno.database.search.remove(db, [seq]);
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
      await steno.database.write((db) => steno.database.search.remove(db, [seq]));
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
        await find(owner, query, 5);
        const own = parseQuery(content);
        if (own.words.length > 0) expect(await find(owner, content)).toEqual([seq]);
      }),
      { numRuns: 150 },
    );
  });

  test('while notes come and go between searches, the ranking is that of a new index', async () => {
    const owner = await newOwner();
    const query = 'red "green" hou misty';
    const live = new Map<number, SearchableNote>();
    const expectSame = async () => {
      const inOrder = [...live];
      const texts = inOrder.map(([, text], entry) => ({ entry, text: analyseNote(text) }));
      const expected = await rank(createMemoryIndex(texts), parseQuery(query), {
        limit: 50,
        isLate: () => false,
      });
      const found = await steno.database.search.find({ ...inAll, ownerId: owner, query });
      expect(found.hits.map(({ seq, rank }) => [seq, rank.toFixed(9)])).toEqual(
        expected.hits.map(({ entry, score }) => [inOrder[entry]?.[0], score.toFixed(9)]),
      );
      expect(found).toMatchObject({ total: expected.total, freshNotes: live.size });
    };
    const words = ['red green', 'green house red', 'green hour', 'green mist', 'green'];
    const add = async (count: number) => {
      for (let note = 0; note < count; note += 1) {
        const content = text(`${words[live.size % words.length]} ${'filler '.repeat(live.size % 7)}`);
        live.set(await indexed(owner, content), content);
      }
    };
    // Some, then more than stand apart as the newest, then most of them go, and one that has the only words of its kind.
    for (const count of [20, 60, 3]) {
      await add(count);
      await expectSame();
    }
    const going = [...live.keys()].slice(0, 70);
    for (const seq of [...live.keys()].filter((_, at) => words[at % words.length] === 'green mist')) {
      await steno.database.write((db) => steno.database.search.remove(db, [seq]));
      live.delete(seq);
    }
    await expectSame();
    await steno.database.write(async (db) => {
      for (const seq of going) await steno.database.search.remove(db, [seq]);
    });
    for (const seq of going) live.delete(seq);
    await expectSame();
    await steno.database.search.merge(owner);
    expect((await steno.database.search.find({ ...inAll, ownerId: owner, query })).freshNotes).toBe(0);
  });

  test('notes come, change and go, and are merged at any time: the ranking is that of a new index', async () => {
    const word = fc.constantFrom(...'red green blue running runs house houses 東京 дом дома x'.split(' '));
    const content = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
    const step = fc.oneof(
      fc.record({ act: fc.constant('put' as const), note: fc.nat(5), content }),
      fc.record({ act: fc.constant('remove' as const), note: fc.nat(5), content: fc.constant('') }),
      fc.record({ act: fc.constant('merge' as const), note: fc.constant(0), content: fc.constant('') }),
      fc.record({ act: fc.constant('search' as const), note: fc.constant(0), content }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), content, async (steps, asked) => {
        const owner = await newOwner();
        const seqs: number[] = [];
        for (let index = 0; index < 6; index += 1) seqs.push(await noteOf(owner));
        for (const seq of seqs) await steno.database.write((db) => steno.database.search.remove(db, [seq]));
        const live = new Map<number, SearchableNote>();
        for (const { act, note, content } of steps) {
          const seq = seqs[note] ?? 0;
          if (act === 'merge') await steno.database.search.merge(owner);
          else if (act === 'search') await find(owner, content);
          else if (act === 'put') {
            await put(seq, owner, text(content));
            live.delete(seq);
            live.set(seq, text(content));
          } else {
            await steno.database.write((db) => steno.database.search.remove(db, [seq]));
            live.delete(seq);
          }
        }
        const inOrder = [...live];
        const fresh = createMemoryIndex(
          inOrder.map(([, text], entry) => ({ entry, text: analyseNote(text) })),
        );
        const query = `${asked} gren hou`;
        const expected = await rank(fresh, parseQuery(query), { limit: 50, isLate: () => false });
        const found = await steno.database.search.find({ ...inAll, ownerId: owner, query });
        expect(found.hits.map(({ seq, rank }) => [seq, rank.toFixed(9)])).toEqual(
          expected.hits.map(({ entry, score }) => [inOrder[entry]?.[0], score.toFixed(9)]),
        );
        expect(found.total).toBe(expected.total);
      }),
      { numRuns: 40 },
    );
  });
});
