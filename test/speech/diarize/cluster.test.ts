import { describe, expect, test } from 'vitest';
import { clusterSpeakers } from '../../../src/engines/speech/diarize/cluster.ts';
import type { SpeakerEmbedding } from '../../../src/engines/speech/diarize/embed.ts';
import { personIn, turnsOf } from '../../../src/engines/speech/diarize/turns.ts';

/** Numbers from −1 to 1, the same for the same seed. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** Windows of 1.5 s every quarter of a second; a person's vectors have a cosine of about 0.65, those of two people about 0. */
function talk(turns: readonly [person: number, seconds: number][], seed = 1): SpeakerEmbedding[] {
  const random = noise(seed);
  const voices: SpeakerEmbedding[] = [];
  let at = 0;
  for (const [person, seconds] of turns) {
    for (let start = at; start + 1.5 <= at + seconds; start += 0.25) {
      const vector = Float32Array.from(
        { length: 128 },
        (_, i) => random() * 0.09 + (i % 8 === person ? 0.18 : 0),
      );
      const length = Math.hypot(...vector);
      voices.push({ start, end: start + 1.5, vector: vector.map((value) => value / length) });
    }
    at += seconds + 0.4;
  }
  return voices;
}

const people = (voices: readonly SpeakerEmbedding[], wanted?: number) => clusterSpeakers(voices, wanted);

describe('voices', () => {
  test('of one person are one', () => {
    expect(new Set(people(talk([[3, 40]])))).toEqual(new Set([0]));
  });

  test('of three people are told apart, numbered as they appear', () => {
    const voices = talk([
      [5, 8],
      [2, 6],
      [5, 5],
      [7, 9],
      [2, 4],
    ]);
    const labels = people(voices);
    const turns = turnsOf(voices, labels);
    expect([4, 11, 17, 24, 32].map((at) => personIn(turns, at, at + 0.2))).toEqual([0, 1, 0, 2, 1]);
  });

  test('are as many as the caller says', () => {
    const voices = talk([
      [1, 8],
      [2, 8],
      [3, 8],
    ]);
    expect(new Set(people(voices, 1)).size).toBe(1);
    expect(new Set(people(voices, 2)).size).toBe(2);
    expect(new Set(people(voices, 3)).size).toBe(3);
  });

  test('that are fewer than the caller says stay as many as there are windows', () => {
    expect(people(talk([[1, 1.6]]), 5)).toEqual([0]);
    expect(people([], 2)).toEqual([]);
  });

  test('of a few moments make no person of their own', () => {
    const voices = talk([
      [1, 12],
      [2, 4.5],
      [1, 12],
    ]);
    expect(new Set(people(voices))).toEqual(new Set([0]));
  });

  test('of one person in many moods are one, although what is said in one mood is much alike', () => {
    // Two moments of one mood have a cosine of about 0.7, of two moods 0.3. The seventh mood lasts for three sentences.
    const random = noise(3);
    const moods = [0, 1, 2, 3, 4, 5, 6, 6, 6, 7, 8, 9, 10, 11, 12, 13];
    const voices = moods.flatMap((mood, turn) => {
      const inMood = noise(100 + mood);
      const way = Float32Array.from({ length: 128 }, (_, k) => inMood() * 0.097 + (k % 8 === 1 ? 0.137 : 0));
      return Array.from({ length: 6 }, (_, i): SpeakerEmbedding => {
        const start = turn * 3 + i * 0.25;
        const vector = way.map((value) => value + random() * 0.084);
        const length = Math.hypot(...vector);
        return { start, end: start + 1.5, vector: vector.map((value) => value / length) };
      });
    });
    expect(new Set(people(voices))).toEqual(new Set([0]));
  });

  test('of one person in two moods are one', () => {
    // Two moments of one mood have a cosine of about 0.61, of two moods 0.38.
    const random = noise(5);
    const voices = Array.from({ length: 12 }, (_, turn) => {
      const inMood = noise(200 + (turn % 2));
      const way = Float32Array.from({ length: 128 }, (_, k) => inMood() * 0.072 + (k % 8 === 1 ? 0.165 : 0));
      return Array.from({ length: 8 }, (_, i): SpeakerEmbedding => {
        const start = turn * 4 + i * 0.25;
        const vector = way.map((value) => value + random() * 0.097);
        const length = Math.hypot(...vector);
        return { start, end: start + 1.5, vector: vector.map((value) => value / length) };
      });
    }).flat();
    expect(new Set(people(voices))).toEqual(new Set([0]));
  });

  test('of a long recording take no more groups, and give the same labels each time', () => {
    const turns = Array.from({ length: 120 }, (_, i): [number, number] => [i % 2 === 0 ? 1 : 4, 10]);
    const labels = people(talk(turns));
    expect(new Set(labels).size).toBe(2);
    expect(people(talk(turns))).toEqual(labels);
  });
});

describe('turns', () => {
  const window = (start: number): SpeakerEmbedding => ({
    start,
    end: start + 1.5,
    vector: new Float32Array(0),
  });

  test('change halfway between the middles of two windows', () => {
    expect(turnsOf([window(0), window(0.25), window(0.5)], [0, 0, 1])).toEqual([
      { start: 0, end: 1.125, person: 0 },
      { start: 1.125, end: 2, person: 1 },
    ]);
  });

  test('of the same person on both sides of a pause are two', () => {
    expect(turnsOf([window(0), window(3)], [0, 0])).toHaveLength(2);
  });

  test('a word that nobody is known to say is said by whoever is nearest', () => {
    const turns = turnsOf([window(0), window(10)], [0, 1]);
    expect([personIn(turns, 2, 2.3), personIn(turns, 9, 9.3), personIn([], 0, 1)]).toEqual([0, 1, 0]);
  });
});
