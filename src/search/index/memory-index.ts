import { formMarker, isLanguageTerm } from '../analyse/note-text.ts';
import { createVocabulary, type Vocabulary } from '../rank/fuzzy.ts';
import type { OwnerIndex } from '../rank/rank.ts';
import { livingIn } from '../rank/score.ts';
import { buildSegment, type IndexedText, sumOf } from './postings.ts';

export interface MemoryIndex extends OwnerIndex {
  /** The same for those of its notes that are still there. */
  among(entries: ReadonlySet<number>): OwnerIndex;
}

/** Notes that no stored segment holds yet. */
export function createMemoryIndex(indexed: readonly IndexedText[]): MemoryIndex {
  const { terms, postings, ...segment } = buildSegment(indexed);
  const texts = new Map(indexed.map(({ entry, text }) => [entry, text]));
  const words = sumOf(segment.lengths);
  let sorted: string[] | undefined;
  let vocabulary: Vocabulary | undefined;

  function without(dead: ReadonlySet<number>): OwnerIndex {
    const livingWith = (term: string) => livingIn(postings(term), dead);
    return {
      segments: [{ ...segment, words, dead }],
      async frequencies(asked) {
        const found = asked.map((term) => [term, livingWith(term)] as const);
        return new Map(found.filter(([, notes]) => notes > 0));
      },
      async postings(asked) {
        return new Map(asked.map((term) => [term, [postings(term)]]));
      },
      async beginningWith(prefix, limit) {
        sorted ??= terms.toSorted();
        return sorted.filter((term) => term.startsWith(prefix) && livingWith(term) > 0).slice(0, limit);
      },
      async vocabularies() {
        vocabulary ??= createVocabulary(surfaces(terms));
        return [vocabulary];
      },
      async holding(entries, phrases) {
        const holds = (text: string) => phrases.every((ways) => ways.some((way) => text.includes(way)));
        return entries.filter((entry) => holds(texts.get(entry) ?? ''));
      },
    };
  }

  return {
    ...without(new Set()),
    among(entries) {
      const dead = new Set<number>();
      for (const [place, entry] of segment.entries.entries()) if (!entries.has(entry)) dead.add(place);
      return without(dead);
    },
  };
}

/** The words as they are written: forms without their mark, stems beside them. */
export function surfaces(terms: Iterable<string>): Set<string> {
  const words = new Set<string>();
  for (const term of terms)
    if (!isLanguageTerm(term)) words.add(term.startsWith(formMarker) ? term.slice(1) : term);
  return words;
}

/** Parts of one owner's index as one. */
export function joinIndexes(parts: readonly OwnerIndex[]): OwnerIndex {
  const all = async <Item>(ask: (part: OwnerIndex) => Promise<Item[]>) =>
    (await Promise.all(parts.map(ask))).flat();
  return {
    segments: parts.flatMap(({ segments }) => segments),
    async frequencies(terms) {
      const sums = new Map<string, number>();
      for (const part of parts)
        for (const [term, notes] of await part.frequencies(terms))
          sums.set(term, (sums.get(term) ?? 0) + notes);
      return sums;
    },
    async postings(terms) {
      const found = await Promise.all(parts.map((part) => part.postings(terms)));
      const none = parts.map(({ segments }) => segments.map(() => undefined));
      return new Map(
        terms.map((term) => [term, found.flatMap((some, at) => some.get(term) ?? none[at] ?? [])]),
      );
    },
    beginningWith: (prefix, limit) => all((part) => part.beginningWith(prefix, limit)),
    vocabularies: () => all((part) => part.vocabularies()),
    holding: (entries, phrases) => all((part) => part.holding(entries, phrases)),
  };
}
