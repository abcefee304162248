import { isCommonWord } from './common-words.ts';

/**
 * How a word sounds, roughly, as English spells it: one letter for each sound. C is ch, S is sh, T is th; a run of vowels
 * is a, i or u. For comparing what was recognised with names, which may be spelt in any way.
 */
export function soundOf(text: string): string {
  let sound = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[łøß]/g, (letter) => ({ ł: 'l', ø: 'o', ß: 'ss' })[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]/gu, '');
  for (const [spelt, spoken] of spellings) sound = sound.replace(spelt, spoken);
  return sound
    .replace(/[aeiouy]+/g, (vowels) => ('ou'.includes(vowels[0] ?? '') ? 'u' : vowels[0] === 'a' ? 'a' : 'i'))
    .replace(/(.)\1+/g, '$1');
}

const spellings: readonly [RegExp, string][] = [
  [/^[kgp]n/, 'n'],
  [/^wr/, 'r'],
  [/^ps/, 's'],
  [/^x/, 'z'],
  [/mb$/, 'm'],
  [/t?sch|sh|(?<=[st])i(?=on)/g, 'S'],
  [/t?ch/g, 'C'],
  [/ph/g, 'f'],
  [/th/g, 'T'],
  [/(?<=[aeiou])gh(?![aeiou])/g, ''],
  [/gh/g, 'g'],
  [/d?g(?=[eiy])/g, 'j'],
  [/ck|q/g, 'k'],
  [/ku(?=[aeio])/g, 'kw'],
  [/wh/g, 'w'],
  [/c(?=[eiy])/g, 's'],
  [/c/g, 'k'],
  [/x/g, 'ks'],
  [/(?<![aeiou])e$/, ''],
  [/^y(?=[aeiou])/, 'Y'],
];

/** Sounds that are mistaken for one another: made at the same place in the mouth. */
const families = ['pb', 'tdT', 'kgC', 'szSjC', 'fv', 'mn', 'lr', 'wYh'];
const familyOf = new Map<string, string>();
for (const family of families.toReversed()) for (const sound of family) familyOf.set(sound, family[0] ?? '');
const isVowel = (sound: string) => 'aiu'.includes(sound);
const isFaint = (sound: string) => 'hwY'.includes(sound);

const missingCost = (sound: string) => (isVowel(sound) ? 0.5 : isFaint(sound) ? 0.4 : 1);

const alike = new Set(
  families.flatMap((family) => [...family].flatMap((a) => [...family].map((b) => a + b))),
);
function changeCost(a: string, b: string): number {
  if (a === b) return 0;
  if (isVowel(a) && isVowel(b)) return 0.3;
  return alike.has(a + b) ? 0.4 : 1;
}

/** From 0, nothing in common, to 1, the same sounds. */
export function likeness(a: string, b: string): number {
  const row = new Float64Array(b.length + 1);
  for (let j = 1; j <= b.length; j++) row[j] = (row[j - 1] ?? 0) + missingCost(b[j - 1] ?? '');
  for (const sound of a) {
    const missing = missingCost(sound);
    let diagonal = row[0] ?? 0;
    row[0] = diagonal + missing;
    for (let j = 1; j <= b.length; j++) {
      const other = b[j - 1] ?? '';
      const above = row[j] ?? 0;
      const added = (row[j - 1] ?? 0) + missingCost(other);
      row[j] = Math.min(above + missing, added, diagonal + changeCost(sound, other));
      diagonal = above;
    }
  }
  return Math.max(0, 1 - (row[b.length] ?? 0) / Math.max(a.length, b.length, 1));
}

/** Pairs of neighbouring consonants, by their families: what two words that sound alike have in common. */
export function landmarks(sound: string): string[] {
  const consonants = [...sound]
    .filter((letter) => !isVowel(letter))
    .map((letter) => familyOf.get(letter) ?? letter);
  const framed = ['^', ...consonants, '$'];
  return framed.slice(1).map((letter, i) => `${framed[i]}${letter}`);
}

/** A name that what was recognised may have been meant as. */
export interface LikeName {
  name: string;
  /** From 0 to 1. */
  likeness: number;
}

export interface Names {
  /** Those that sound like it, the likest first. */
  like(recognised: string): LikeName[];
}

const shortestName = 3;
/** The least that two words share which sound alike enough. */
const leastLikeness = 0.68;
const mostAlike = 4;
const mostWordsInName = 4;

/**
 * An entry and, of one with several words, each word that is not common: "Jon Dashwoode" also corrects the surname after
 * another first name.
 */
export function namesIn(entry: string): string[] {
  const words = entry.trim().split(/[\s,;]+/);
  return words.length === 1 ? words : [entry.trim(), ...words.filter((word) => !isCommonWord(word))];
}

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
    like(recognised) {
      const sound = soundOf(recognised);
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
