import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { locateModel } from '../../../src/engines/speech/pool/model-file.ts';
import { createTokens, type Tokens } from '../../../src/engines/speech/whisper/tokens.ts';
import { quietestSample } from '../../../src/engines/speech/whisper/window.ts';
import { alignTokens } from '../../../src/engines/speech/whisper/words.ts';
import { openWhisperFile } from '../../../tools/prepare-model/ggml-file.ts';
import { joinSamples, noise, silence } from '../../support/sound.ts';

const none: string[] = [];

describe('tokens of the model in the box', () => {
  let tokens: Tokens;
  beforeAll(async () => {
    const file = openWhisperFile(locateModel('').path);
    tokens = createTokens(file);
    file.close();
  });

  test('any text comes back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        expect(tokens.decode(tokens.encode(text))).toBe(text);
      }),
    );
  });

  test('are those of GPT-2', () => {
    expect(tokens.encode(' ask not what your country can do')).toEqual([1265, 407, 644, 534, 1499, 460, 466]);
    expect(tokens.encode("Hello world, it's")).toEqual([15496, 995, 11, 340, 338]);
  });

  test('marks stand where Whisper has them', () => {
    const { end, start, previous, noTimestamps } = tokens;
    expect({ end, start, previous, noTimestamps }).toEqual({
      end: 50_256,
      start: 50_257,
      previous: 50_360,
      noTimestamps: 50_362,
    });
    const multilingual = createTokens({ tokens: none, shape: { vocabulary: 51_865 } });
    expect(multilingual.languageMark('de')).toBe(50_261);
    expect(multilingual).toMatchObject({
      end: 50_257,
      start: 50_258,
      transcribe: 50_359,
      noTimestamps: 50_363,
    });
    expect(createTokens({ tokens: none, shape: { vocabulary: 51_866 } })).toMatchObject({
      transcribe: 50_360,
      noTimestamps: 50_364,
    });
  });

  test('a text begins with no sign: whoever says "dot" or "dash" means the word', () => {
    for (const text of ['.', ' -', ' =', ' "', '/', ' \\', ' ['])
      expect(tokens.unwantedFirst.has(tokens.encode(text)[0] ?? -1), text).toBe(true);
    for (const text of [' dot', ' 7', ' $', ' ¿', ' «'])
      expect(tokens.unwantedFirst.has(tokens.encode(text)[0] ?? -1), text).toBe(false);
  });

  test('brackets and notes are unwanted, words, numbers and apostrophes are not', () => {
    for (const text of [' [', ' (', '(', ' >>', ']', ' ♪', ' *'])
      expect(tokens.unwanted.has(tokens.encode(text)[0] ?? -1), text).toBe(true);
    for (const text of [' hello', "'s", ' 7', '%', '-', '.', ' $'])
      expect(tokens.unwanted.has(tokens.encode(text)[0] ?? -1), text).toBe(false);
  });
});

describe('alignment', () => {
  const look = (positions: number, at: number) =>
    Float32Array.from({ length: positions }, (_, i) => Math.exp(-((i - at) ** 2) / 8));

  test('finds where the heads looked', () => {
    const starts = alignTokens(
      [10, 40, 60, 95].map((at) => look(120, at)),
      { heads: 1, positions: 120 },
    );
    for (const [i, at] of [10, 40, 60, 95].entries()) {
      if (i > 0) expect(starts[i]).toBeGreaterThan([10, 40, 60, 95][i - 1] ?? 0);
      expect(starts[i]).toBeLessThanOrEqual(at);
    }
  });

  test('never goes backwards and never leaves the sound', () => {
    const row = fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 20 }),
        (rows, positions) => {
          const starts = alignTokens(
            rows.map((weights) => Float32Array.from(weights)),
            { heads: 2, positions },
          );
          expect(starts).toEqual([...starts].sort((a, b) => a - b));
          expect(starts.every((at) => at >= 0 && at < positions)).toBe(true);
        },
      ),
    );
  });
});

test('a chunk is halved where it is quietest', () => {
  expect(quietestSample(joinSamples(noise(4), silence(0.3), noise(3)))).toBeGreaterThan(4 * 16_000);
  expect(quietestSample(joinSamples(noise(4), silence(0.3), noise(3)))).toBeLessThan(4.3 * 16_000);
});
