import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyseNote, parseQuery, type SearchClause, type SearchText } from '../../src/domain/search-text.ts';

const marker = '\uE000';
const separator = '\uE001';

type Note = Parameters<typeof analyseNote>[0];
const note = (fields: Partial<Note>): Note => ({
  title: null,
  content: '',
  enhanced_content: null,
  transcript: null,
  ...fields,
});
const analyse = (content: string) => analyseNote(note({ content }));
const tokens = (text: string) => text.split(' ').filter((token) => token !== '');
/** The stems of a text alone, without the forms after the last separator. */
const stems = (content: string) =>
  tokens(analyse(content).body).filter((token) => token !== separator && !token.startsWith(marker));

/** What both databases do with a clause, in a few lines. */
function matches(clause: SearchClause, text: SearchText): boolean {
  return matchesIn(clause, tokens(text.title)) || matchesIn(clause, tokens(text.body));
}
function matchesIn(clause: SearchClause, all: string[]): boolean {
  switch (clause.kind) {
    case 'word':
      return all.includes(clause.stem);
    case 'phrase':
      return ` ${all.join(' ')} `.includes(` ${clause.stems.join(' ')} `);
    case 'prefix':
      return (
        all.includes(clause.stem) ||
        all.some((token) => token.startsWith(clause.prefix) || token.startsWith(clause.formPrefix))
      );
  }
}
const finds = (query: string, text: string) => {
  const clauses = parseQuery(query);
  return clauses.length > 0 && clauses.every((clause) => matches(clause, analyse(text)));
};

describe('one spelling per word', () => {
  test.each([
    ['English inflections share a stem', 'Running runs, run!', ['run', 'run', 'run']],
    [
      'straight and curly apostrophes vanish inside words',
      "don't don’t dont ‘quoted’",
      ['dont', 'dont', 'dont', 'quot'],
    ],
    ['hyphens part words', 'state-of-the-art', ['state', 'of', 'the', 'art']],
    ['German sharp s and umlauts become plain', 'Straße GROẞ Müller', ['strass', 'gross', 'muller']],
    ['French accents and ligatures become plain', 'Œuvre déjà là', ['oeuvr', 'deja', 'la']],
    ['Nordic, Polish and Icelandic letters become plain', 'Ærø Łódź Þór', ['aero', 'lodz', 'thor']],
    ['Vietnamese loses tones and the bar of đ', 'Đường tiếng Việt', ['duong', 'tieng', 'viet']],
    ['Turkish dotted and dotless i are one', 'İzmir IZMIR ızmır izmir', ['izmir', 'izmir', 'izmir', 'izmir']],
    ['Russian ё is е and й is и', 'Ёлка елка йод', ['елка', 'елка', 'иод']],
    ['Ukrainian apostrophes vanish, the letter and the sign', 'пʼять п’ять', ['пять', 'пять']],
    ['Greek final sigma and accents do not count', 'ΟΔΟΣ οδός', ['οδοσ', 'οδοσ']],
    ['Japanese is cut by dictionary and keeps its dakuten', '東京でガラス', ['東京', 'で', 'ガラス']],
    ['half-width kana equal full-width ones', 'ﾗｰﾒﾝ', ['ラーメン']],
    ['Latin words and digits part from Japanese', 'iPhoneを 2024年', ['iphon', 'を', '2024', '年']],
    ['Chinese is cut by dictionary', '我们在北京学习中文', ['我们', '在', '北京', '学习', '中文']],
    ['Thai is cut by dictionary and keeps vowels and tones', 'น้ำดื่มภาษาไทย', ['น้ำ', 'ดื่ม', 'ภาษา', 'ไทย']],
    ['Korean is cut at spaces', '한국은 아름답다', ['한국은', '아름답다']],
    ['decomposed Korean equals composed', '한국'.normalize('NFD'), ['한국']],
    ['Arabic words stay whole', 'السلام عليكم', ['السلام', 'عليكم']],
    ['Hindi keeps its vowel signs', 'हिन्दी में', ['हिन्दी', 'में']],
    ['emoji are no words and leave nothing behind', '❤️ launch 🚀 👨‍👩‍👧 1️⃣', ['launch', '1']],
    ['soft hyphens and joiners are invisible', 'Donau\u00ADdampf', ['donaudampf']],
    ['typographic width does not count', 'Ｆｕｌｌ ﬁne m²', ['full', 'fine', 'm2']],
    ['lone surrogates separate', 'a\uD800b \uDC00', ['a', 'b']],
    ['marker and separator in a text separate', `a${marker}b${separator}c`, ['a', 'b', 'c']],
  ])('%s', (_promise, text, expected) => {
    expect(stems(text)).toEqual(expected);
  });
});

describe('fields', () => {
  test('title apart; content, enhancement, transcript and forms in order between separators', () => {
    const fields = { title: 'Hiking', content: 'one cats', enhanced_content: 'two', transcript: 'three' };
    expect(analyseNote(note(fields))).toEqual({
      title: 'hike',
      body: ['on cat', 'two', 'three', `${marker}hiking ${marker}one ${marker}cats`].join(` ${separator} `),
    });
  });

  test('an empty note has no tokens, not even separators', () => {
    expect(analyseNote(note({ transcript: '[]' }))).toEqual({ title: '', body: '' });
  });

  test('a phrase does not match across fields', () => {
    const text = analyseNote(note({ content: 'alpha', enhanced_content: 'beta gamma' }));
    expect(parseQuery('"beta gamma"').every((clause) => matches(clause, text))).toBe(true);
    expect(parseQuery('"alpha beta"').every((clause) => matches(clause, text))).toBe(false);
  });

  test('of a transcript in segments only what was said is indexed', () => {
    const transcript = JSON.stringify([
      { text: 'Good day', speaker: 'Zed', start: 1 },
      { start: 2 },
      { text: 'bye' },
    ]);
    expect(analyseNote(note({ transcript })).body).toBe(`good dai bye ${separator} ${marker}day`);
  });

  test.each(['[inaudible] so', '["so"]', '{"text": "so"}', '[null, "so"'])(
    '%s is a plain transcript',
    (transcript) => {
      expect(tokens(analyseNote(note({ transcript })).body)).toContain('so');
    },
  );
});

describe('queries', () => {
  const prefix = (word: string, stem = word) => ({
    kind: 'prefix',
    stem,
    prefix: word,
    formPrefix: marker + word,
  });

  test.each(['', '  ', '"*:^()-+{}', '""', '❤️', '\uD800'])(
    '%j holds no word and gives no clause',
    (query) => {
      expect(parseQuery(query)).toEqual([]);
    },
  );

  test('operators of the engines are ordinary words', () => {
    expect(parseQuery('title:(cat* NEAR dog) AND NOT -x OR ^y | z & w <-> {v}')).toEqual(
      ['titl', 'cat', 'near', 'dog', 'and', 'not', 'x', 'or', 'y', 'z', 'w', 'v'].map((stem) => ({
        kind: 'word',
        stem,
      })),
    );
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
    expect(parseQuery(query)).toEqual([{ kind: 'phrase', stems: ['big', 'cat'] }]);
  });

  test('one word in quotes is a whole word, no prefix', () => {
    expect(parseQuery('"cats"')).toEqual([{ kind: 'word', stem: 'cat' }]);
  });

  test('an unbalanced quote is text', () => {
    expect(parseQuery('5" big')).toEqual([{ kind: 'word', stem: '5' }, prefix('big')]);
  });

  test('the last word outside quotes is a prefix, wherever the phrase stands and whatever follows', () => {
    const phrase = { kind: 'phrase', stems: ['big', 'cat'] };
    expect(parseQuery('see "big cats" running ')).toEqual([
      { kind: 'word', stem: 'see' },
      phrase,
      prefix('running', 'run'),
    ]);
    expect(parseQuery('see "big cats"')).toEqual([prefix('see'), phrase]);
  });

  test('a single letter is no prefix, a single Chinese, Japanese or Korean sign is one', () => {
    expect(parseQuery('é')).toEqual([{ kind: 'word', stem: 'e' }]);
    for (const sign of ['京', 'か', 'カ', '집']) expect(parseQuery(sign)).toEqual([prefix(sign)]);
  });

  test.each([
    ['runn', 'They were running.'],
    ['happ', 'happiness'],
    ['ran run', 'I ran a RUN'],
    ['école', 'ECOLE'],
    ['dont', 'I don’t'],
    ["don't", 'I dont'],
    ['duong', 'đường'],
    ['"state of the art"', 'A state-of-the-art thing'],
    ['東', '東京都'],
    ['한국', '한국은'],
    ['not near', 'Not NEAR'],
  ])('%s finds “%s”', (query, text) => {
    expect(finds(query, text)).toBe(true);
  });

  test.each([
    ['cat dog', 'only a cat'],
    ['"dog cat"', 'cat dog'],
    ['unning', 'running'],
  ])('%s does not find “%s”', (query, text) => {
    expect(finds(query, text)).toBe(false);
  });

  test('a clause given twice counts once, and 32 clauses are enough', () => {
    expect(parseQuery('a b a "c d" "c d" b a')).toHaveLength(3);
    expect(parseQuery(Array.from({ length: 100 }, (_, at) => `w${at}`).join(' '))).toHaveLength(32);
  });
});

describe('bounds', () => {
  test('a token ends after 64 code points, in notes and in queries', () => {
    expect(stems(`${'7'.repeat(65)} ${'𝒳'.repeat(99)} ${'𐐨'.repeat(65)}`)).toEqual([
      '7'.repeat(64),
      'x'.repeat(64),
      '𐐨'.repeat(64),
    ]);
    expect(finds('𐐨'.repeat(80), '𐐨'.repeat(70))).toBe(true);
  });

  test('a note has at most 50,000 distinct tokens, and those it has go on counting', () => {
    const numbers = Array.from({ length: 50_010 }, (_, at) => String(at));
    const { title, body } = analyseNote(note({ title: 'zero', content: `${numbers.join(' ')} 7` }));
    const all = [...tokens(title), ...tokens(body)];
    expect(new Set(all).size).toBe(50_000);
    expect(all.at(-1)).toBe('7');
    expect(all).not.toContain('50000');
  });

  test('distinct tokens stay below the megabyte of a tsvector', () => {
    const long = Array.from({ length: 20_000 }, (_, at) => `${at}${'ж'.repeat(60)}`).join(' ');
    const size = Buffer.byteLength([...new Set(tokens(analyse(long).body))].join(''));
    expect(size).toBeGreaterThan(690_000);
    expect(size).toBeLessThanOrEqual(700_000);
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
        for (const token of [...tokens(found.title), ...tokens(found.body)])
          expect(token).toMatch(/^(\uE001|\uE000?[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)$/u);
        expect(found.body).not.toMatch(/ {2}|^ | $/);
        for (const clause of parseQuery(text)) {
          const words = clause.kind === 'phrase' ? clause.stems : [clause.stem];
          for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}\p{M}]*$/u);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('every word of a text finds the text by its stem', () => {
    fc.assert(
      fc.property(fc.array(anyText), (parts) => {
        const text = parts.join(' ');
        const all = tokens(analyse(text).body);
        for (const word of text.split(' ')) {
          for (const clause of parseQuery(word)) {
            const wanted = clause.kind === 'phrase' ? clause.stems : [clause.stem];
            expect(all).toEqual(expect.arrayContaining(wanted));
          }
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('every beginning of two letters and more finds a word', () => {
    const word = fc.stringMatching(/^[a-zéßий]{2,12}(ing|ness|ed|s|)$/);
    fc.assert(
      fc.property(word, fc.nat(), (text, length) => finds(text.slice(0, 2 + (length % text.length)), text)),
    );
  });

  test("SQLite's ascii tokenizer sees exactly these tokens", () => {
    const database = new DatabaseSync(':memory:');
    database.exec(`
      CREATE VIRTUAL TABLE notes USING fts5(body, tokenize = 'ascii');
      CREATE VIRTUAL TABLE terms USING fts5vocab(notes, 'instance');`);
    const insert = database.prepare('INSERT INTO notes (body) VALUES (?)');
    const terms = database.prepare('SELECT term FROM terms ORDER BY "offset"');
    fc.assert(
      fc.property(anyText, (text) => {
        const { body } = analyse(text);
        database.exec('DELETE FROM notes');
        insert.run(body);
        expect(terms.all().map((row) => row.term)).toEqual(tokens(body));
      }),
    );
    database.close();
  });
});
