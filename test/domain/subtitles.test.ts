import { parse } from '@plussub/srt-vtt-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toParagraphs, toSrt, toVtt } from '../../src/domain/subtitles.ts';
import type { Segment } from '../../src/domain/transcript.ts';

const segment = (start: number, end: number, text: string, isTimed = true): Segment => {
  const parts = text.split(' ');
  const step = (end - start) / parts.length;
  const words = parts.map((word, i) => ({
    word,
    start: start + i * step,
    end: start + (i + 1) * step,
    score: null,
  }));
  return { start, end, text, speaker: null, words: isTimed ? words : [] };
};

const speech = [
  segment(
    0.32,
    10.68,
    'And so my fellow Americans, ask not what your country can do for you, ask what you can do for your country.',
  ),
  segment(12, 12.3, 'Yes.'),
  segment(12.4, 12.6, 'No.'),
  segment(3661.5, 3663, 'Much later <b>& more</b> --> end'),
];

describe('with several speakers', () => {
  const talk = [
    { ...segment(0, 2, 'How are you?'), speaker: 'Ann' },
    { ...segment(2.1, 2.6, 'Fine.'), speaker: 'Bob <b>' },
    {
      ...segment(3, 10, 'And you, and the family, and the dog, and the house by the sea, and all?'),
      speaker: 'Bob <b>',
    },
  ];

  test('SRT names who speaks when it changes, and never shows two people in one cue', () => {
    const { entries } = parse(toSrt(talk));
    const texts = entries.map(({ text }: { text: string }) => text.replace(/\s+/g, ' '));
    expect(texts[0]).toBe('Ann: How are you?');
    expect(texts[1]).toMatch(/^Bob <b>: Fine\./);
    expect(texts.slice(2).join(' ')).not.toContain('Bob');
  });

  test('WebVTT has the name in a voice tag of every cue', () => {
    const cues = toVtt(talk).split('\n\n').slice(1);
    expect(cues[0]).toMatch(/\n<v Ann>How are you\?$/);
    for (const cue of cues.slice(1)) expect(cue).toMatch(/\n<v Bob &lt;b&gt;>/);
  });

  test('plain text has a paragraph for each', () => {
    expect(toParagraphs(talk.slice(0, 2))).toBe('How are you?\n\nFine.');
  });

  test('one person alone is not named', () => {
    const alone = talk.map((part) => ({ ...part, speaker: 'Ann' }));
    expect(toSrt(alone) + toVtt(alone)).not.toContain('Ann');
  });
});

describe.each([
  ['SRT', toSrt],
  ['WebVTT', toVtt],
] as const)('%s', (_, write) => {
  const isReadable = (segments: Segment[]) => {
    const { entries } = parse(write(segments));
    let before = -1;
    for (const { from, to, text } of entries) {
      expect(from).toBeGreaterThan(before);
      expect(to - from).toBeGreaterThanOrEqual(998);
      expect(to - from).toBeLessThanOrEqual(7001);
      expect(text.split('\n').length).toBeLessThanOrEqual(2);
      before = to;
    }
    return entries;
  };

  test('is read by a parser we did not write, with every word in its order', () => {
    const entries = isReadable(speech.slice(0, 3));
    expect(
      entries
        .map(({ text }: { text: string }) => text)
        .join(' ')
        .replace(/\s+/g, ' '),
    ).toBe(
      speech
        .slice(0, 3)
        .map(({ text }) => text)
        .join(' '),
    );
    expect(entries[0]?.from).toBe(320);
  });

  test('keeps lines within 42 characters, two to a cue, 1 to 7 s, without overlaps, whatever is said', () => {
    const words = fc.array(fc.string({ minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 30 });
    const said = fc.array(
      fc.record({
        gap: fc.double({ min: 0, max: 5, noNaN: true }),
        length: fc.double({ min: 0, max: 30, noNaN: true }),
        words,
        isTimed: fc.boolean(),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(said, (parts) => {
        let at = 0;
        const segments = parts.map(({ gap, length, words: spoken, isTimed }) => {
          const start = at + gap;
          at = start + length;
          return segment(start, at, spoken.join(' '), isTimed);
        });
        for (const line of cueLines(toSrt(segments))) expect([...line].length).toBeLessThanOrEqual(42);
        checkTimes(write(segments));
      }),
      { numRuns: 200 },
    );
  });

  test('of nothing is a valid empty file', () => {
    expect(write([])).toBe(write === toVtt ? 'WEBVTT\n' : '');
  });
});

test('WebVTT escapes what would be markup; SRT leaves it readable', () => {
  expect(toVtt(speech)).toContain('Much later &lt;b&gt;&amp; more&lt;/b&gt; → end');
  expect(toSrt(speech)).toContain('Much later <b>& more</b> → end');
});

test('hours are written out, the point is a comma in SRT', () => {
  expect(toSrt(speech)).toContain('01:01:01,500 -->');
  expect(toVtt(speech)).toContain('01:01:01.500 -->');
});

test('two short answers share a cue instead of being pushed apart', () => {
  expect(toSrt(speech)).toContain('00:00:12,000 --> 00:00:13,000\nYes. No.\n');
});

test('no word is left alone on the screen', () => {
  const long =
    'The capabilities of the kit are often associated with scenarios that we have seen in practice before today.';
  const cues = cueTexts(toSrt([segment(0, 6.5, long)]));
  expect(cues.length).toBe(2);
  for (const cue of cues) expect(cue.split(' ').length).toBeGreaterThan(5);
  const answers = [segment(0, 2, 'Would you like the regular one?'), segment(2.4, 2.9, 'Express.')];
  expect(cueTexts(toSrt(answers))).toEqual(['Would you like the regular one? Express.']);
});

test('a cue ends at a comma or a pause rather than anywhere', () => {
  const [said] = speech;
  expect(cueTexts(toSrt(said ? [said] : []))).toEqual([
    'And so my fellow Americans, ask not what your country can do for you,',
    'ask what you can do for your country.',
  ]);
});

test('what is said fast stays until it can be read, if nothing follows', () => {
  expect(toSrt([segment(0, 1.2, 'She sells sea shells on the sea shore.')])).toContain(
    '00:00:00,000 --> 00:00:01,900',
  );
});

test('nothing stays on the screen after the end of the recording', () => {
  const answers = [segment(0, 5, 'Is there anything else that I can do?'), segment(9.6, 9.9, 'No.')];
  expect(toSrt(answers, 10)).toContain('00:00:09,000 --> 00:00:10,000\nNo.');
});

test('text gets a paragraph at a long pause', () => {
  expect(toParagraphs([segment(0, 1, 'One.'), segment(1.2, 2, 'Two.'), segment(4, 5, 'Three.')])).toBe(
    'One. Two.\n\nThree.',
  );
});

test('a pause of a second and a half begins a paragraph, a shorter one does not', () => {
  expect(toParagraphs([segment(0, 1, 'One.'), segment(2.5, 3, 'Two.')])).toBe('One.\n\nTwo.');
  expect(toParagraphs([segment(0, 1, 'One.'), segment(2.499, 3, 'Two.')])).toBe('One. Two.');
});

test('each word has its own time; what a person wrote instead shares the time of the segment by length', () => {
  // The last word comes after a pause of its own, and a cue begins with it.
  const words = 'one two three four five six'
    .split(' ')
    .map((word, at) => ({ word, start: at, end: at + 0.9, score: null }));
  const last = { word: 'seven', start: 20, end: 21, score: null };
  const timed = {
    start: 0,
    end: 21,
    text: 'one two three four five six seven',
    speaker: null,
    words: [...words, last],
  };
  expect(toSrt([timed])).toContain('00:00:20,000 --> 00:00:21,000\nseven');
  const written = { ...timed, text: 'one two three four five six eight' };
  expect(toSrt([written])).not.toContain('00:00:20,000');
});

test('a sentence without spaces is broken after 42 letters, in time too; one of 42 stays whole', () => {
  const letters = (count: number) => '字'.repeat(count);
  expect(cueLines(toSrt([segment(0, 4, letters(42))]))).toEqual([letters(42)]);
  expect(cueLines(toSrt([segment(0, 10, letters(43))]))).toEqual([letters(42), letters(1)]);
  expect(toSrt([segment(0, 20, letters(84))])).toContain('00:00:10,000 -->');
});

const cueTexts = (srt: string) =>
  srt.split('\n\n').map((cue) => cue.trimEnd().split('\n').slice(2).join(' '));
const cueLines = (srt: string) => srt.split('\n\n').flatMap((cue) => cue.trimEnd().split('\n').slice(2));

/** Read here by hand: hostile text may look like a cue to a lenient parser, and must not. */
function checkTimes(file: string): void {
  const stamp = /^(\d{2,}):(\d\d):(\d\d)[.,](\d{3}) --> (\d{2,}):(\d\d):(\d\d)[.,](\d{3})$/gm;
  let before = -1;
  for (const [, ...parts] of file.matchAll(stamp)) {
    const [h1 = 0, m1 = 0, s1 = 0, f1 = 0, h2 = 0, m2 = 0, s2 = 0, f2 = 0] = parts.map(Number);
    const [from, to] = [((h1 * 60 + m1) * 60 + s1) * 1000 + f1, ((h2 * 60 + m2) * 60 + s2) * 1000 + f2];
    expect(from).toBeGreaterThan(before);
    expect(to - from).toBeGreaterThanOrEqual(998);
    expect(to - from).toBeLessThanOrEqual(7001);
    before = to;
  }
}
