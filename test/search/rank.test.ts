import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyseAtOnce, analyseNote, speakerMarker } from '../../src/engines/search/analyse/analyser.ts';
import { languageOf } from '../../src/engines/search/analyse/languages.ts';
import { fold, tokenize } from '../../src/engines/search/analyse/tokenizer.ts';
import { createMemoryIndex } from '../../src/engines/search/index/memory-index.ts';
import { decodePostings, encodePostings } from '../../src/engines/search/index/postings.ts';
import { editDistance } from '../../src/engines/search/rank/fuzzy.ts';
import { highlightNote } from '../../src/engines/search/rank/highlight.ts';
import { parseQuery } from '../../src/engines/search/rank/query.ts';
import { rank } from '../../src/engines/search/rank/rank.ts';
import { nonProbes, probes } from '../support/search-probes.ts';

const marker = '\uE000';
const separator = '\uE001';
const languageMarker = '\uE002';

type Note = Parameters<typeof analyseNote>[0];
const note = (fields: Partial<Note>): Note => ({
  title: null,
  content: '',
  enhanced_content: null,
  transcript: null,
  ...fields,
});
const analyse = (content: string) => analyseNote(note({ content }));
const tokens = (text: string) => text.split(/[ \n]/).filter((token) => token !== '');
/** The title and the body of an entry. */
const parts = (text: string) => text.split('\n').map((part) => part.slice(1, -1));
/** The stems of a text alone, without the forms and the language after the last separator. */
const stems = (content: string) =>
  tokens(analyse(content)).filter(
    (token) => token !== separator && !token.startsWith(marker) && !token.startsWith(languageMarker),
  );

/** Whether a search among this one note finds it. */
async function finds(query: string, text: string): Promise<boolean> {
  const index = createMemoryIndex([{ entry: 1, text: analyse(text) }]);
  return (await rank(index, parseQuery(query), { limit: 1, isLate: () => false })).total === 1;
}

describe('one spelling per word', () => {
  test.each([
    ['English inflections share a stem', 'Running runs, run!', ['run', 'run', 'run']],
    ['English words in -ion share the stem of their verb', 'discussions discuss', ['discuss', 'discuss']],
    ['so do their other forms', 'connection connecting commissioned', ['connect', 'connect', 'commiss']],
    ['short English words keep their -ion', 'nation actions stations', ['nation', 'action', 'station']],
    [
      'straight and curly apostrophes vanish inside words',
      "don't don’t dont ‘quoted’",
      ['dont', 'dont', 'dont', 'quot'],
    ],
    ['hyphens part words', 'state-of-the-art', ['state', 'of', 'the', 'art']],
    ['German sharp s and umlauts become plain', 'Straße GROẞ Müller', ['strass', 'gross', 'mull']],
    ['French accents and ligatures become plain', 'Œuvre déjà là', ['oeuvr', 'deja', 'la']],
    ['Nordic, Polish and Icelandic letters become plain', 'Ærø Łódź Þór', ['aero', 'lodz', 'thor']],
    ['Vietnamese loses tones and the bar of đ', 'Đường tiếng Việt', ['duong', 'tieng', 'viet']],
    ['Turkish dotted and dotless i are one', 'İzmir IZMIR ızmır izmir', ['izmir', 'izmir', 'izmir', 'izmir']],
    ['Russian ё is е and й is и, and endings go', 'Ёлка елки йод', ['елк', 'елк', 'иод']],
    ['Ukrainian apostrophes vanish, the letter and the sign', 'пʼять п’ять', ['пят', 'пят']],
    ['Greek final sigma and accents do not count', 'ΟΔΟΣ οδός', ['οδ', 'οδ']],
    ['Japanese is cut by dictionary and keeps its dakuten', '東京でガラス', ['东京', 'で', 'がらす']],
    ['half-width kana equal full-width ones', 'ﾗｰﾒﾝ', ['らーめん']],
    ['Latin words and digits part from Japanese', 'iPhoneを 2024年', ['iphon', 'を', '2024', '年']],
    ['Chinese is cut by dictionary', '我们在北京学习中文', ['我们', '在', '北京', '学习', '中文']],
    ['Thai is cut by dictionary and keeps vowels and tones', 'น้ำดื่มภาษาไทย', ['น้ำ', 'ดื่ม', 'ภาษา', 'ไทย']],
    ['Korean is cut at spaces', '한국은 아름답다', ['한국은', '아름답다']],
    ['decomposed Korean equals composed', '한국'.normalize('NFD'), ['한국']],
    ['Arabic loses the article, vowel signs and endings', 'السَّلام المدرسة', ['سلام', 'مدرس']],
    ['Hindi keeps its vowel signs inside words', 'हिन्दी में', ['हिन्द', 'में']],
    ['emoji are no words and leave nothing behind', '❤️ launch 🚀 👨‍👩‍👧 1️⃣', ['launch', '1']],
    ['soft hyphens and joiners are invisible', 'Donau\u00ADdampf', ['donaudampf']],
    ['typographic width does not count', 'Ｆｕｌｌ ﬁne m²', ['full', 'fine', 'm2']],
    ['lone surrogates separate', 'a\uD800b \uDC00', ['a', 'b']],
    ['marker and separator in a text separate', `a${marker}b${separator}c`, ['a', 'b', 'c']],
  ])('%s', (_promise, text, expected) => {
    expect(stems(text)).toEqual(expected);
  });
});

describe('the language of a note', () => {
  test.each([
    ['Dentist appointment moved to Friday', 'english'],
    ['Arzttermin', 'english'],
    ['Die Sitzung ist am Montag', 'german'],
    ['El presupuesto de la empresa', 'spanish'],
    ['La réunion est reportée à demain', 'french'],
    ['Gli studenti della scuola', 'italian'],
    ['O João não vai na reunião de amanhã', 'portuguese'],
    ['De vergaderingen zijn morgen', 'dutch'],
    ['Mötet är på måndag', 'swedish'],
    ['Jeg er ikke hjemme på fredag', 'norwegian'],
    ['Talo on vanha mutta se ei ole kylmä', 'finnish'],
    ['A macska az asztalon van', 'hungarian'],
    ['De la o vreme nu mai este', 'romanian'],
    ['Toplantılar yarın', 'turkish'],
    // Without a stemmer of their own they keep their endings, but for what English would take.
    ['Cuộc họp đã được dời sang thứ hai', 'english'],
    ['Spotkanie jest w poniedziałek, nie wiem jak to zrobić', 'english'],
    ['Rapat akan diadakan pada hari Senin untuk membahas anggaran', 'english'],
  ])('%s: %s', (text, language) => {
    expect(languageOf(text, tokenize(fold(text)))).toBe(language);
  });
});

describe('fields', () => {
  test('title apart; content, enhancement, transcript and forms in order between separators', () => {
    const fields = { title: 'Hiking', content: 'one cats', enhanced_content: 'two', transcript: 'three' };
    expect(parts(analyseNote(note(fields)))).toEqual([
      'hike',
      ['on cat', 'two', 'three', `${marker}hiking ${marker}one ${marker}cats`].join(` ${separator} `),
    ]);
  });

  test('a long text waits for the thread, and so do few signs that stand for many letters', () => {
    expect(analyseAtOnce(note({ content: 'word '.repeat(4_000) }))).not.toBeNull();
    expect(analyseAtOnce(note({ content: 'word '.repeat(4_001) }))).toBeNull();
    expect(analyseAtOnce(note({ content: '\uFDFA'.repeat(1_200) }))).toBeNull();
  });

  test('an empty note has no tokens, not even separators', () => {
    expect(analyseNote(note({ transcript: '[]' }))).toBe('  \n  ');
  });

  test('a phrase does not match across fields', () => {
    const text = analyseNote(note({ content: 'alpha', enhanced_content: 'beta gamma' }));
    expect(text).toContain(' beta gamma ');
    expect(text).not.toContain(' alpha beta ');
  });

  test('of a transcript in segments what was said is indexed, and who speaks as a term that no word is', () => {
    const transcript = JSON.stringify([
      { text: 'Good day', speaker: 'Zed', start: 1 },
      { start: 2 },
      { text: 'bye' },
    ]);
    expect(parts(analyseNote(note({ transcript })))[1]).toBe(
      `good dai bye ${separator} ${marker}day ${speakerMarker}Zed`,
    );
  });

  test.each(['[inaudible] so', '["so"]', '{"text": "so"}', '[null, "so"'])(
    '%s is a plain transcript',
    (transcript) => {
      expect(tokens(analyseNote(note({ transcript })))).toContain('so');
    },
  );
});

test('a highlight marks other forms of a word, in the languages of the notes', () => {
  const queryTerms = { terms: new Set(['haus']), noteLanguages: ['english', 'german'] as const };
  expect(highlightNote(note({ content: 'Die Häuser sind alt' }), queryTerms, () => false)).toEqual([
    { field: 'content', text: 'Die Häuser sind alt', marks: [{ start: 4, end: 10 }], seconds: null },
  ]);
});

describe('queries', () => {
  const asked = (query: string) => {
    const { words, phrases } = parseQuery(query);
    return { words: words.map(({ word, open }) => (open ? `${word}…` : word)), phrases };
  };

  test.each(['', '  ', '"*:^()-+{}', '""', '❤️', '\uD800'])('%j asks for nothing', (query) => {
    expect(asked(query)).toEqual({ words: [], phrases: [] });
  });

  test('operators of other searches are ordinary words', () => {
    expect(asked('title:(cat* NEAR dog) AND NOT -x OR ^y | z & w <-> {v}').words).toEqual([
      ...['title', 'cat', 'near', 'dog', 'and', 'not', 'x', 'or', 'y', 'z', 'w', 'v'],
    ]);
  });

  test.each([
    '"big cats"',
    '“big cats”',
    '„big cats“',
    '”big cats”',
    '«big cats»',
    '»big cats«',
    '＂big cats＂',
  ])('%s is a phrase', (query) => {
    expect(asked(query)).toEqual({ words: [], phrases: [['big', 'cats']] });
  });

  test('one word in quotes is a whole word, never the beginning of one', () => {
    expect(asked('"cats"')).toEqual({ words: [], phrases: [['cats']] });
  });

  test('an unbalanced quote is text', () => {
    expect(asked('5" big')).toEqual({ words: ['5', 'big…'], phrases: [] });
  });

  test('the last word outside quotes may be unfinished, wherever the phrase stands and whatever follows', () => {
    expect(asked('see "big cats" running ').words).toEqual(['see', 'running…']);
    expect(asked('see "big cats"').words).toEqual(['see…']);
  });

  test('a single letter is no beginning, a single Chinese, Japanese or Korean sign is one', () => {
    expect(asked('é').words).toEqual(['e']);
    for (const sign of ['京', 'か', 'カ', '집']) expect(asked(sign).words).toEqual([`${sign}…`]);
  });

  test('a word given twice counts once, 128 words are enough, and a phrase ends after 16', () => {
    expect(asked('a b a "c d" b a').words).toEqual(['a', 'b']);
    expect(asked(Array.from({ length: 200 }, (_, at) => `w${at}`).join(' ')).words).toHaveLength(128);
    expect(asked(`"${'word '.repeat(90)}"`).phrases).toEqual([Array.from({ length: 16 }, () => 'word')]);
  });
});

describe('a long question', () => {
  const filler = Array.from({ length: 30 }, (_, at) => `filler${at}`);

  async function found(query: string, texts: readonly string[]): Promise<number[]> {
    const index = createMemoryIndex(texts.map((text, at) => ({ entry: at + 1, text: analyse(text) })));
    const { hits } = await rank(index, parseQuery(query), { limit: 10, isLate: () => false });
    return hits.map(({ entry }) => entry);
  }

  test('what it repeats counts more, and ever less more', () => {
    const weights = (times: number) =>
      parseQuery([...filler, ...Array.from({ length: times }, () => 'pump')].join(' ')).words.at(-1)
        ?.weight ?? 0;
    expect(weights(1)).toBe(1);
    expect(weights(2)).toBeCloseTo(1.8);
    expect(weights(3) - weights(2)).toBeLessThan(weights(2) - weights(1));
    expect(weights(60)).toBeLessThan(9);
  });

  test('the note about its topic comes before one that has another word of it once', async () => {
    const texts = ['The valve was closed today', 'The pump was closed today'];
    expect(await found(`pump valve ${filler.join(' ')} pump`, texts)).toEqual([2, 1]);
  });

  test('in a sentence a repeat is grammar and counts nothing', () => {
    expect(parseQuery('what do they have that others do not have').words.map(({ weight }) => weight)).toEqual(
      Array.from({ length: 7 }, () => 1),
    );
  });

  test('its words after the 32nd count', async () => {
    const many = Array.from({ length: 40 }, (_, at) => `nothing${at}`);
    expect(await found(`${many.join(' ')} kettle and more`, ['the kettle', 'the table'])).toEqual([1]);
  });

  test('a word that no note has is not taken for a mistyped one', async () => {
    expect(await found('kettel', ['a kettle'])).toEqual([1]);
    expect(await found(`${filler.join(' ')} kettel gone`, ['a kettle'])).toEqual([]);
  });

  test('a note that equals it does not hide the others about it', async () => {
    const text = Array.from({ length: 100 }, (_, at) => `topic${at}`);
    const others = filler.map((word) => `${word} elsewhere`);
    expect(await found(text.join(' '), [text.join(' '), text.slice(0, 10).join(' '), ...others])).toEqual([
      1, 2,
    ]);
  });
});

describe('one note and a query', () => {
  test.each(probes)('%s finds “%s”', async (query, text) => {
    expect(await finds(query, text)).toBe(true);
  });

  test.each(nonProbes)('%s does not find “%s”', async (query, text) => {
    expect(await finds(query, text)).toBe(false);
  });
});

describe('bounds', () => {
  test('a token ends after 64 code points, in notes and in queries', async () => {
    expect(stems(`${'7'.repeat(65)} ${'𝒳'.repeat(99)} ${'𐐨'.repeat(65)}`)).toEqual([
      '7'.repeat(64),
      'x'.repeat(64),
      '𐐨'.repeat(64),
    ]);
    expect(await finds('𐐨'.repeat(80), '𐐨'.repeat(70))).toBe(true);
  });

  test('a note has at most 50,000 distinct tokens, and those it has go on counting', () => {
    const numbers = Array.from({ length: 50_010 }, (_, at) => String(at));
    const all = tokens(analyseNote(note({ title: 'zero', content: `${numbers.join(' ')} 7` })));
    expect(new Set(all).size).toBe(50_000);
    expect(all.at(-1)).toBe('7');
    expect(all).not.toContain('50000');
  });
});

describe('for any text', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 50 })
      .map((units) => String.fromCharCode(...units)),
    fc
      .array(
        fc.constantFrom(...'aéßİЙ東かカไทนำ́한가ा\'’ʼ"“”«» -.*7\u200D\uFE0F\uE000\uD83D', 'running', '々'),
        {
          maxLength: 40,
        },
      )
      .map((parts) => parts.join('')),
  );

  test('tokens are letters, digits and marks, and nothing throws', () => {
    fc.assert(
      fc.property(anyText, anyText, (title, text) => {
        const found = analyseNote({ title, content: text, enhanced_content: title, transcript: text });
        for (const token of tokens(found))
          expect(token).toMatch(/^(\uE001|\uE002[a-z]+|\uE000?[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)$/u);
        expect(parts(found)[1]).not.toMatch(/ {2}|^ | $/);
        const { words, phrases } = parseQuery(text);
        for (const word of [
          ...words.flatMap(({ word, otherSpellings }) => [word, ...otherSpellings]),
          ...phrases.flat(),
        ])
          expect(word).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}\p{M}]*$/u);
      }),
      { numRuns: 1000 },
    );
  });

  test('every word of a text finds the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyText), async (parts) => {
        const text = parts.join(' ');
        for (const word of text.split(' '))
          if (parseQuery(word).words.length > 0)
            expect([word, await finds(word, text)]).toEqual([word, true]);
      }),
      { numRuns: 300 },
    );
  });

  test('every beginning of two letters and more finds a word', async () => {
    const word = fc.stringMatching(/^[a-zéßий]{2,12}(ing|ness|ed|s|)$/);
    await fc.assert(
      fc.asyncProperty(word, fc.nat(), (text, length) =>
        finds(text.slice(0, 2 + (length % text.length)), text),
      ),
    );
  });
});

describe('parts of the ranking', () => {
  test('postings come back as they were', () => {
    const posting = fc.record({
      step: fc.integer({ min: 1, max: 70_000 }),
      count: fc.integer({ min: 1, max: 255 }),
    });
    fc.assert(
      fc.property(fc.array(posting), (steps) => {
        let place = -1;
        const places = Uint32Array.from(steps, ({ step }) => {
          place += step;
          return place;
        });
        const counts = Uint8Array.from(steps, ({ count }) => count);
        expect(decodePostings(encodePostings({ places, counts }), steps.length)).toEqual({ places, counts });
      }),
    );
  });

  test('the number of edits is that of a plain computation', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 });
    fc.assert(
      fc.property(word, word, fc.constantFrom(1, 2), (one, other, max) => {
        expect(editDistance(one, other, max)).toBe(Math.min(max + 1, plainDistance(one, other)));
      }),
      { numRuns: 2000 },
    );
  });
});

/** Optimal string alignment as the textbook has it. */
function plainDistance(one: string, other: string): number {
  const table = Array.from({ length: one.length + 1 }, (_, row) =>
    Array.from({ length: other.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  const at = (row: number, column: number) => table[row]?.[column] ?? 0;
  for (let row = 1; row <= one.length; row += 1)
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1;
      const ways = [at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + same];
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        ways.push(at(row - 2, column - 2) + 1);
      const cells = table[row];
      if (cells) cells[column] = Math.min(...ways);
    }
  return at(one.length, other.length);
}
