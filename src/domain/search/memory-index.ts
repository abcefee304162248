import { createVocabulary, type Vocabulary } from './fuzzy.ts';
import { formMarker, isLanguageTerm } from './note-text.ts';
import { buildSegment, type IndexedText, sumOf } from './postings.ts';
import type { OwnerIndex } from './rank.ts';

/** Notes that no stored segment holds yet. */
export function createMemoryIndex(indexed: readonly IndexedText[]): OwnerIndex {
  const { terms, ...segment } = buildSegment(indexed);
  const texts = new Map(indexed.map(({ entry, text }) => [entry, text]));
  let sorted: string[] | undefined;
  let vocabulary: Vocabulary | undefined;
  return {
    segments: [{ ...segment, words: sumOf(segment.lengths), dead: new Set() }],
    async frequencies(asked) {
      return new Map(
        asked.flatMap((term) => {
          const postings = terms.get(term);
          return postings ? [[term, postings.places.length] as const] : [];
        }),
      );
    },
    async postings(asked) {
      return new Map(asked.map((term) => [term, [terms.get(term)]]));
    },
    async beginningWith(prefix, limit) {
      sorted ??= [...terms.keys()].sort();
      return sorted.filter((term) => term.startsWith(prefix)).slice(0, limit);
    },
    async vocabularies() {
      vocabulary ??= createVocabulary(surfaces(terms.keys()));
      return [vocabulary];
    },
    async holding(entries, phrases) {
      const holds = (text: string) => phrases.every((ways) => ways.some((way) => text.includes(way)));
      return entries.filter((entry) => holds(texts.get(entry) ?? ''));
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
