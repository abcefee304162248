import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { probes } from '../support/search-probes.ts';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

interface Found {
  id: string;
  title: string | null;
  score: number;
}

interface Shown {
  field: string;
  text: string;
  marks: { start: number; end: number }[];
  seconds: number | null;
}

describe.each(databaseKinds)('search on %s', (databaseKind) => {
  let steno: TestSteno;
  let key: string;
  let library: string;
  let now = Date.UTC(2026, 4, 1, 12);
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
    ({ key: library } = await steno.person());
    for (const [title, content] of shelf)
      await steno.call('POST', '/notes/create', { key: library, body: { title, content } });
  });
  beforeEach(async () => {
    now += 60_000;
    ({ key } = await steno.person());
  });
  afterAll(() => steno.close());

  const create = async (body: object): Promise<string> =>
    (await steno.call('POST', '/notes/create', { key, body })).body.data.id;
  const search = async (query: string, more: object = {}, caller = key): Promise<Found[]> =>
    (await steno.call('POST', '/notes/search', { key: caller, body: { query, ...more } })).body.data;

  const shelf: [title: string, content: string][] = [
    ['garden', 'We were planting tomatoes; the old oak tree stands by the river bank.'],
    ['meeting', 'The quarterly meeting moved: budgets, hiring plans and the roadmap were discussed.'],
    ['trip', 'Café in Zürich, crème brûlée; façade of the naïve Straße. Łódź and Ærø too.'],
    ['tokyo', '今日は東京で会議がありました。新しい計画について話しました。'],
    ['beijing', '我们在北京开会讨论了新的项目计划'],
    ['moscow', 'Завтра встреча в Москве; ёлка стоит в углу.'],
    ['seoul', '오늘 서울에서 회의가 있었습니다'],
    [
      'code',
      'Use C++ and node.js: foo_bar("x") AND NOT title:secret OR near/2 *wild* (group) -minus {a b} ^caret',
    ],
    ['thai', 'วันนี้เราประชุมที่กรุงเทพ'],
    ['apostrophe', "Don't forget O’Brien's appointment"],
  ];

  test.each<[query: string, titles: string[]]>([
    ['oak', ['garden']],
    ['oak river', ['garden']],
    ['river oak', ['garden']],
    ['oak budget', ['garden', 'meeting']],
    ['"oak tree"', ['garden']],
    ['"tree oak"', []],
    ['"oak" "river bank"', ['garden']],
    ['“old oak tree” tomato', ['garden']],
    ['"oak', ['garden']],
    ['roadm', ['meeting']],
    ['roadm budget', ['meeting']],
    ['budget roadm', ['meeting']],
    ['"roadm"', []],
    ['plant', ['garden']],
    ['planted', ['garden']],
    ['discussing', ['meeting']],
    ['TOMATO', ['garden']],
    ['cafe', ['trip']],
    ['CAFÉ zurich', ['trip']],
    ['creme brulee', ['trip']],
    ['naïve strasse', ['trip']],
    ['lodz', ['trip']],
    ['aero', ['trip']],
    ['東京', ['tokyo']],
    ['会議', ['tokyo']],
    ['计划', ['beijing']],
    ['北京 项目', ['beijing']],
    ['москве', ['moscow']],
    ['елка', ['moscow']],
    ['서울', ['seoul']],
    ['กรุงเทพ', ['thai']],
    ['dont', ['apostrophe']],
    ["don't", ['apostrophe']],
    ['obrien', ['apostrophe']],
    ['c++', ['code']],
    ['node.js', ['code']],
    ['title:secret', ['code']],
    ['foo_bar("x")', ['code']],
    ['{a b} ^caret', ['code']],
    ['-minus', ['code']],
    ['*wild*', ['code']],
    ['oak OR budget', ['code', 'garden', 'meeting']],
    ['oak AND river', ['garden']],
    ['oak NOT river', ['code', 'garden']],
    ['near/2', ['code']],
    ["'; drop table notes; --", []],
    ["oak' | 'budget", ['garden', 'meeting']],
    ['oak:*', ['garden']],
    ['oak & !river', ['garden']],
    ['oak <-> tree', ['garden']],
    ['\\oak\\', ['garden']],
    ['!!! ???', []],
    ['" "', []],
    ['😀', []],
    ['nothinglikeit', []],
  ])('%j finds %j', async (query, titles) => {
    expect((await search(query, {}, library)).map(({ title }) => title).sort()).toEqual(titles.sort());
  });

  test('every field is searched: title, content, enhanced content and transcript', async () => {
    const id = await create({ title: 'alf', content: 'bravo', enhanced_content: 'charlie' });
    const segments = JSON.stringify([{ text: 'delta' }, { text: 'echo', speaker: 'foxtrot' }]);
    await steno.database.write((db) =>
      db.updateTable('notes').set({ transcript: segments }).where('id', '=', id).execute(),
    );
    await steno.call('PATCH', `/notes/${id}`, { key, body: { title: 'alfa' } });
    for (const word of ['alfa', 'bravo', 'charlie', 'delta', 'echo', 'alfa delta'])
      expect((await search(word)).map((note) => note.id)).toEqual([id]);
    for (const absent of ['foxtrot', 'speaker', '"alfa bravo"', '"bravo charlie"'])
      expect(await search(absent)).toEqual([]);
  });

  test('a word in the title weighs more; scores are between 0 and 1, best first', async () => {
    const filler = 'lorem ipsum dolor sit amet consectetur';
    const inBody = await create({ title: 'something', content: `${filler} walrus ${filler}` });
    const inTitle = await create({ title: 'walrus', content: `${filler} ${filler}` });
    const inBodyToo = await create({ title: 'else', content: `${filler} walrus ${filler} ${filler}` });
    const found = await search('walrus');
    expect(found.map(({ id }) => id)[0]).toBe(inTitle);
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set([inBody, inTitle, inBodyToo]));
    expect(found[0]?.score).toBe(1);
    for (const [index, { score }] of found.entries()) {
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(found[index - 1]?.score ?? 1);
    }
    expect(found[1]?.score).toBeLessThan(1);
  });

  test('a changed note is found by its new words and not by the old ones', async () => {
    const id = await create({ title: 'old title', content: 'former words' });
    await steno.call('PATCH', `/notes/${id}`, { key, body: { title: null, content: 'present text' } });
    for (const word of ['old', 'former', 'words', 'title']) expect(await search(word)).toEqual([]);
    expect((await search('present text')).map((note) => note.id)).toEqual([id]);
    await steno.call('PATCH', `/notes/${id}`, { key, body: { folder_id: null } });
    expect(await search('present')).toHaveLength(1);
  });

  test('deleted notes never appear, and make room for others within the limit', async () => {
    const ids = [
      await create({ content: 'kiwi' }),
      await create({ content: 'kiwi' }),
      await create({ content: 'kiwi' }),
    ];
    await steno.call('DELETE', `/notes/${ids[2]}`, { key });
    expect((await search('kiwi')).map(({ id }) => id).sort()).toEqual(ids.slice(0, 2).sort());
    expect(await search('kiwi', { limit: 2 })).toHaveLength(2);
  });

  test('the limit is 20 unless said, and 1 to 50', async () => {
    for (let index = 0; index < 22; index += 1) await create({ content: `mango ${index}` });
    expect(await search('mango')).toHaveLength(20);
    expect(await search('mango', { limit: 1 })).toHaveLength(1);
    expect(await search('mango', { limit: 50 })).toHaveLength(22);
  });

  test.each<object>([
    {},
    { query: '' },
    { query: 'x'.repeat(501) },
    { query: 5 },
    { query: null },
    { query: 'x', limit: 0 },
    { query: 'x', limit: 51 },
    { query: 'x', limit: 1.5 },
    { query: 'x', limit: '5' },
  ])('%j is refused', async (body) => {
    const answer = await steno.call('POST', '/notes/search', { key, body });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
  });

  test.each([
    ['500 characters', 'ab '.repeat(166)],
    ['250 words', 'a '.repeat(250)],
    ['only quotes', '"'.repeat(500)],
    ['quoted quotes', '"a" "b'.repeat(80)],
    ['a word of 500 letters', 'x'.repeat(500)],
    ['500 emoji', '😀'.repeat(500)],
    ['white space', ' '],
  ])('a query of %s is answered', async (_name, query) => {
    expect(await search(query)).toEqual([]);
  });

  test('a search counts as five requests', async () => {
    const before = await steno.call('GET', '/me', { key });
    const after = await steno.call('POST', '/notes/search', { key, body: { query: 'x' } });
    const left = (answer: typeof before) => Number(answer.headers['x-ratelimit-remaining']);
    expect(left(before) - left(after)).toBe(5);
  });

  const answer = async (body: object) => (await steno.call('POST', '/notes/search', { key, body })).body;

  test('a folder, a kind of note and a time narrow a search; how many match is told', async () => {
    const folder = (await steno.call('POST', '/folders/create', { key, body: { name: 'Trips' } })).body.data
      .id;
    const inFolder = await create({ content: 'papaya one', folder_id: folder });
    const meeting = await create({ content: 'papaya two', note_type: 'meeting' });
    now += 1000;
    const middle = new Date(now).toISOString();
    const late = await create({ content: 'papaya three' });
    const ids = async (more: object) => (await search('papaya', more)).map(({ id }) => id);
    expect(await ids({ folder_id: folder })).toEqual([inFolder]);
    expect(await ids({ note_type: 'meeting' })).toEqual([meeting]);
    expect(await ids({ since: middle })).toEqual([late]);
    expect((await ids({ until: middle })).sort()).toEqual([inFolder, meeting].sort());
    expect(await ids({ until: middle, note_type: 'personal' })).toEqual([inFolder]);
    expect(await answer({ query: 'papaya', limit: 2 })).toMatchObject({
      total: 3,
      more: false,
      complete: true,
    });
    expect(await answer({ query: 'papaya', since: middle })).toMatchObject({ total: 1 });
    expect(
      (await steno.call('POST', '/notes/search', { key, body: { query: 'x', since: 'today' } })).status,
    ).toBe(400);
  });

  test('a search covers voice notes, written ones, or those in which somebody speaks', async () => {
    const { user, key } = await steno.person();
    const make = async (content: string, speakers: (string | null)[]) => {
      const { id } = (await steno.call('POST', '/notes/create', { key, body: { content } })).body.data;
      const segments = speakers.map((speaker) => ({ text: 'quince', speaker }));
      if (speakers.length > 0)
        await steno.database.write((db) =>
          db
            .updateTable('notes')
            .set({ transcript: JSON.stringify(segments) })
            .where('id', '=', id)
            .execute(),
        );
      await steno.call('PATCH', `/notes/${id}`, { key, body: { title: 'Fruit' } });
      return id;
    };
    const written = await make('quince', []);
    const both = await make('quince and more', ['Zoë  Park', 'Ada']);
    const alone = await make('quince and more of it', ['Ada', null, ' ']);
    const plain = await make('quince, plainly', [null]);
    const found = async (more: object) => {
      const { data, total } = (
        await steno.call('POST', '/notes/search', { key, body: { query: 'quince', ...more } })
      ).body;
      // A page is full, and the count is that of the filter.
      expect(total).toBe(more && 'limit' in more ? 2 : data.length);
      return data.map(({ id }: Found) => id).sort();
    };
    const speakers = async () => (await steno.call('GET', '/notes/speakers', { key })).body.data;
    const check = async () => {
      expect(await found({ voice: false })).toEqual([written]);
      expect(await found({ voice: true })).toEqual([both, alone, plain].sort());
      expect(await found({ speaker: 'ada' })).toEqual([both, alone].sort());
      expect((await found({ speaker: 'Ada', limit: 1 })).length).toBe(1);
      expect(await found({ speaker: 'zoe park' })).toEqual([both]);
      expect(await found({ speaker: 'Zoë Park', voice: false })).toEqual([]);
      expect(await found({ speaker: 'Zo' })).toEqual([]);
      expect(await speakers()).toEqual(['Ada', 'Zoë Park']);
    };
    await check();
    await steno.database.search.merge(user.id);
    await check();
    // No word of a note is a speaker, and another person knows nothing of either.
    expect((await steno.call('POST', '/notes/search', { key, body: { query: 'zoe' } })).body.total).toBe(0);
    const other = (await steno.person()).key;
    expect((await steno.call('GET', '/notes/speakers', { key: other })).body.data).toEqual([]);
    await steno.call('DELETE', `/notes/${both}`, { key });
    expect(await speakers()).toEqual(['Ada']);
    for (const wrong of [
      { voice: 'yes' },
      { speaker: '' },
      { speaker: 'x'.repeat(101) },
      { speaker: 'a\nb' },
    ])
      expect(
        (await steno.call('POST', '/notes/search', { key, body: { query: 'x', ...wrong } })).body.error.code,
      ).toBe('validation_error');
  });

  test('highlights show where the words stand, and when they are said', async () => {
    const filler = 'lorem ipsum dolor sit amet '.repeat(30);
    const id = await create({
      title: 'The Zebras',
      content: `${filler}we saw two zebra's and a lion ${filler}`,
    });
    const segments = [
      { start: 0, end: 5, text: 'hello there', speaker: null, words: [] },
      {
        start: 5,
        end: 9,
        text: 'my zebra runs',
        speaker: null,
        words: [
          { word: 'my', start: 5, end: 5.5, score: null },
          { word: 'zebra', start: 6.5, end: 7, score: null },
        ],
      },
    ];
    await steno.database.write((db) =>
      db
        .updateTable('notes')
        .set({ transcript: JSON.stringify(segments) })
        .where('id', '=', id)
        .execute(),
    );
    await steno.call('PATCH', `/notes/${id}`, { key, body: { title: 'The Zebras' } });
    const [found] = (await answer({ query: 'zebra lions', highlights: true })).data;
    const shown = found.highlights.map(({ field, text, marks, seconds }: Shown) => [
      field,
      marks.map(({ start, end }) => text.slice(start, end)),
      seconds,
    ]);
    expect(shown).toEqual([
      ['title', ['Zebras'], null],
      ['content', ["zebra's", 'lion'], null],
      ['transcript', ['zebra'], 6.5],
    ]);
    expect(found.highlights[1].text.length).toBeLessThanOrEqual(200);
    expect((await answer({ query: 'zebra' })).data[0]).not.toHaveProperty('highlights');
  });

  test('a sentence finds the note that it is about first, and notes about something else do not pad the list', async () => {
    const dentist = await create({ content: 'Dentist appointment moved to Friday 3pm' });
    await create({ content: 'When is the party? It is on my calendar, my calendar is full.' });
    for (let index = 0; index < 5; index += 1)
      await create({ content: `My list ${index}: it is what it is` });
    const found = await search('when is my dentist appointment');
    expect(found[0]?.id).toBe(dentist);
    expect(found.length).toBeLessThan(4);
  });

  test('an old note is found among hundreds of newer ones that have the common word', async () => {
    const old = await create({ content: 'common plover' });
    const [{ user_id: ownerId }] = (await answer({ query: 'plover' })).data;
    for (let batch = 0; batch < 6; batch += 1) {
      now += 60_000;
      await Promise.all(
        Array.from({ length: 50 }, (_, at) => create({ content: `common thing ${batch} ${at}` })),
      );
    }
    now += 60_000;
    expect((await search('common plover', { limit: 1 })).map(({ id }) => id)).toEqual([old]);
    // The first search had many fresh notes before it and asked for a merge; the answer stays the same.
    await steno.database.search.merge(ownerId);
    expect((await search('common plover', { limit: 1 })).map(({ id }) => id)).toEqual([old]);
    expect(await answer({ query: 'common' })).toMatchObject({ total: 301, more: false });
  });

  test('a note of a megabyte is found when it is analysed, and again by its new words', async () => {
    const id = await create({ content: `${'lorem ipsum '.repeat(80_000)}needle` });
    await steno.database.search.indexPending();
    expect((await search('needle')).map((note) => note.id)).toEqual([id]);
    await steno.call('PATCH', `/notes/${id}`, {
      key,
      body: { content: `${'dolor '.repeat(90_000)}haystack` },
    });
    expect(await search('needle')).toEqual([]);
    await steno.database.search.indexPending();
    expect((await search('haystack')).map((note) => note.id)).toEqual([id]);
  });

  test.each(probes)('%s finds “%s” when it is the only note', async (query, content) => {
    const id = await create({ content });
    expect((await search(query)).map((note) => note.id)).toEqual([id]);
  });
});
