import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pcmRate } from '../../src/domain/audio.ts';
import { planCuts } from '../../src/engines/audio/chunks.ts';
import { createVad } from '../../src/engines/audio/vad.ts';
import { voicedSeconds } from '../../src/engines/ports/vad.ts';
import { recogniseChunk } from '../../src/engines/speech/recognise-chunk.ts';
import type { Piece } from '../../src/engines/speech/recogniser.ts';
import { joinSamples, noise, samplesOf, silence, tone } from '../support/sound.ts';

const options = { longestSeconds: 28, wantedSeconds: 18 };
async function detectVoice(pcm: Float32Array) {
  const detector = await createVad();
  detector.push(pcm);
  const activity = detector.activity();
  detector.free();
  return activity;
}
const voiceOf = (flags: number[]) => ({ frames: Uint8Array.from(flags), frameSeconds: 0.03 });

describe('the voice gate', () => {
  test('finds speech, also at a hundredth of its loudness', async () => {
    const speech = samplesOf('newhome.wav');
    const loud = voicedSeconds(await detectVoice(speech), 0, 10);
    const faint = voicedSeconds(await detectVoice(speech.map((sample) => sample / 10)), 0, 10);
    expect(loud).toBeGreaterThan(2);
    expect(faint).toBeGreaterThan(loud * 0.8);
  });

  test('finds speech, also with an offset or hum', async () => {
    const speech = samplesOf('newhome.wav');
    const clean = voicedSeconds(await detectVoice(speech), 0, 10);
    const hum = speech.map((sample, i) => sample + 0.1 * Math.sin((2 * Math.PI * 50 * i) / pcmRate));
    for (const worse of [speech.map((sample) => sample + 0.15), hum])
      expect(voicedSeconds(await detectVoice(worse), 0, 10)).toBeGreaterThan(clean * 0.8);
  });

  test.for([
    ['silence', silence(5)],
    ['a tone', tone(5)],
    ['noise', noise(5)],
  ] as const)('finds none in %s', async ([, pcm]) => {
    expect(voicedSeconds(await detectVoice(pcm), 0, 5)).toBe(0);
  });

  test('finds speech between tones where it is', async () => {
    const voice = await detectVoice(joinSamples(tone(4), samplesOf('newhome.wav'), tone(4)));
    expect(voicedSeconds(voice, 4, 7.6)).toBeGreaterThan(2);
    expect(voicedSeconds(voice, 0, 3)).toBe(0);
  });
});

describe('cuts', () => {
  test('hold all speech once, in order, none longer than allowed', () => {
    const runs = fc.array(fc.record({ on: fc.nat(1_200), off: fc.nat(200) }), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(runs, (parts) => {
        const voice = voiceOf(parts.flatMap(({ on, off }) => [...Array(on).fill(1), ...Array(off).fill(0)]));
        const total = voice.frames.length * 0.03;
        const cuts = planCuts(voice, total, options);
        for (const [i, { start, end }] of cuts.entries()) {
          expect(end).toBeGreaterThan(start);
          expect(end - start).toBeLessThanOrEqual(options.longestSeconds + 1e-6);
          expect(start).toBeGreaterThanOrEqual(cuts[i - 1]?.end ?? 0);
        }
        const isCovered = (time: number) => cuts.some(({ start, end }) => start <= time && time <= end);
        const lost = voice.frames.filter((flag, i) => flag === 1 && !isCovered((i + 0.5) * 0.03));
        expect(lost.length).toBe(0);
      }),
    );
  });

  test('are made at the longest pause', () => {
    const voice = voiceOf([
      ...Array(700).fill(1),
      ...Array(10).fill(0),
      ...Array(100).fill(1),
      ...Array(30).fill(0),
      ...Array(600).fill(1),
    ]);
    const [first] = planCuts(voice, voice.frames.length * 0.03, options);
    expect(first?.end).toBeCloseTo((700 + 10 + 100 + 15) * 0.03, 1);
  });

  test('leave long silences out', () => {
    const voice = voiceOf([...Array(300).fill(1), ...Array(1_000).fill(0), ...Array(300).fill(1)]);
    const cuts = planCuts(voice, 48, options);
    expect(cuts.reduce((sum, { start, end }) => sum + end - start, 0)).toBeLessThan(20);
  });
});

describe('one chunk', () => {
  const seconds = 10;
  const pcm: Float32Array = silence(seconds);
  const voice = voiceOf(Array(334).fill(1));
  const say = (text: string, from: number, to: number): Piece[] => {
    const words = text.split(' ');
    const step = (to - from) / words.length;
    return words.map((word, i) => ({
      text: ` ${word}`,
      start: from + i * step,
      end: from + (i + 1) * step,
      isWord: true,
      score: null,
    }));
  };
  const hear = async (answers: Piece[][], { prompt = '', hearing = voice, sound = pcm } = {}) => {
    const asked: { seconds: number; prompt: string }[] = [];
    const { pieces } = await recogniseChunk(
      { pcm: sound, voice: hearing, language: undefined, prompt },
      async (told) => {
        asked.push({ seconds: told.pcm.length / pcmRate, prompt: told.prompt });
        return { pieces: answers.shift() ?? [], language: 'en' };
      },
    );
    return {
      text: pieces
        .map(({ text }) => text)
        .join('')
        .trim(),
      pieces,
      asked,
    };
  };

  test('whose tail the engine left out is heard again from there, without doubling', async () => {
    const { text, asked, pieces } = await hear([
      say('one two three four', 0, 6),
      say('three four five six', 0, 4),
    ]);
    expect(text).toBe('one two three four five six');
    expect(asked[1]?.seconds).toBeCloseTo(4);
    expect(pieces.at(-1)?.end).toBeCloseTo(10);
  });

  test('whose last word has a pause in it is not heard again from that pause', async () => {
    const { text } = await hear([say('visit www.example.org', 0, 10), say('example.org', 0, 3)], {
      sound: joinSamples(tone(7), silence(0.5), tone(2.5)),
    });
    expect(text).toBe('visit www.example.org');
  });

  test('of which an engine of phrases heard only the beginning is heard again in two parts', async () => {
    const twoSentences = voiceOf([...Array(100).fill(1), ...Array(20).fill(0), ...Array(214).fill(1)]);
    const phrase = (text: string, end: number): Piece[] => [
      { text: ` ${text}`, start: 0, end, isWord: false, score: null },
    ];
    const { text, asked, pieces } = await hear(
      [phrase('First, please.', 10), phrase('First, please.', 3), phrase('And then the one after it.', 6)],
      { hearing: twoSentences },
    );
    expect(text).toBe('First, please. And then the one after it.');
    expect(asked.map((run) => Math.round(run.seconds * 10) / 10)).toEqual([10, 3.3, 6.7]);
    expect(pieces.map(({ start }) => Math.round(start * 10) / 10)).toEqual([0, 3.3]);
  });

  test('that comes back as the prompt is heard again without it', async () => {
    const { text, asked } = await hear([say('Zanzibar Wrocław', 0, 10), say('the real words', 0, 10)], {
      prompt: 'Zanzibar, Wrocław.',
    });
    expect(text).toBe('the real words');
    expect(asked.map(({ prompt }) => prompt)).toEqual(['Zanzibar, Wrocław.', '']);
  });

  test('loses descriptions of sounds', async () => {
    expect((await hear([say('[door closes] hello (soft music playing) there ♪', 0, 10)])).text).toBe(
      'hello there',
    );
  });

  test('loses a phrase stuttered faster than anybody speaks, and keeps one said twice', async () => {
    const stutter = [...say('under.', 0, 9), ...say('In this regard, in this regard,', 9, 9.36)];
    expect((await hear([stutter])).text).toBe('under. In this regard,');
    expect((await hear([say('come on come on', 0, 10)])).text).toBe('come on come on');
  });

  test('loses words where nobody speaks', async () => {
    const firstHalf = voiceOf([...Array(150).fill(1), ...Array(184).fill(0)]);
    const { text } = await hear([[...say('really said', 0, 4.4), ...say('thank you', 7, 8)]], {
      hearing: firstHalf,
    });
    expect(text).toBe('really said');
  });
});
