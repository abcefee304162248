import { clusterSpeakers } from '../../src/engines/speech/diarize/cluster.ts';
import type { SpeakerEmbedding } from '../../src/engines/speech/diarize/embed.ts';
import { personIn, turnsOf } from '../../src/engines/speech/diarize/turns.ts';
import type { Truth } from './recordings.ts';

export const peopleIn = (voices: readonly SpeakerEmbedding[]) => new Set(clusterSpeakers(voices)).size;

const stepSeconds = 0.1;

/** The share of the time in which the wrong person is named, after each number found was given the person it fits best. */
export function errorShare(truth: readonly Truth[], voices: readonly SpeakerEmbedding[]): number {
  const turns = turnsOf(voices, clusterSpeakers(voices));
  const shared = new Map<string, number>();
  let steps = 0;
  for (const { start, end, person } of truth)
    for (let at = start; at + stepSeconds <= end; at += stepSeconds) {
      const pair = JSON.stringify([person, personIn(turns, at, at + stepSeconds)]);
      shared.set(pair, (shared.get(pair) ?? 0) + 1);
      steps += 1;
    }
  // Largest first: each person and each number is used once.
  const used = new Set<string | number>();
  let right = 0;
  for (const [pair, count] of [...shared].sort(([, a], [, b]) => b - a)) {
    const [person, found]: [string, number] = JSON.parse(pair);
    if (used.has(person) || used.has(found)) continue;
    used.add(person).add(found);
    right += count;
  }
  return steps === 0 ? 0 : 1 - right / steps;
}
