import { landmarks, likeness, soundOf } from './sounds-like.ts';
import { namesIn } from './vocabulary.ts';

/** A name that what was heard may have been meant as. */
export interface LikeName {
  name: string;
  /** From 0 to 1. */
  likeness: number;
}

export interface Names {
  /** Those that sound like it, the likest first. */
  like(heard: string): LikeName[];
}

const shortestName = 3;
/** The least that two words share which sound alike enough. */
const leastLikeness = 0.68;
const mostAlike = 4;
const mostWordsInName = 4;

/** Any number of names, looked up by how they sound. */
export function createNames(list: Iterable<string>): Names {
  const names: { name: string; sound: string; marks: number }[] = [];
  const byLandmark = new Map<string, number[]>();
  for (const name of new Set([...list].flatMap(namesIn))) {
    const sound = soundOf(name);
    if (sound.length < shortestName || name.split(/\s+/).length > mostWordsInName) continue;
    const marks = new Set(landmarks(sound));
    for (const mark of marks) {
      const those = byLandmark.get(mark);
      if (those) those.push(names.length);
      else byLandmark.set(mark, [names.length]);
    }
    names.push({ name, sound, marks: marks.size });
  }

  return {
    like(heard) {
      const sound = soundOf(heard);
      if (sound.length < shortestName) return [];
      const marks = new Set(landmarks(sound));
      const shared = new Uint8Array(names.length);
      for (const mark of marks)
        for (const at of byLandmark.get(mark) ?? []) shared[at] = (shared[at] ?? 0) + 1;
      const found: LikeName[] = [];
      for (const [at, entry] of names.entries()) {
        if (2 * (shared[at] ?? 0) < Math.max(2, Math.min(marks.size, entry.marks))) continue;
        if (Math.abs(sound.length - entry.sound.length) > 0.5 * sound.length) continue;
        const alike = likeness(sound, entry.sound);
        if (alike >= leastLikeness) found.push({ name: entry.name, likeness: alike });
      }
      return found.sort((a, b) => b.likeness - a.likeness).slice(0, mostAlike);
    },
  };
}
