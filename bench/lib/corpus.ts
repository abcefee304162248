/** Texts with the statistics of real ones: few words are common, most are rare (Zipf), and the same for every run. */
export interface Corpus {
  sentence(words: number): string;
  /** Two words that people would search for: neither the commonest nor unheard of. */
  query(): string;
}

const vocabularySize = 30_000;
const syllables =
  'ba be bi bo bu da de di do du fa fe fi ka ke ki la le li lo ma me mi mo na ne ni no pa pe ra re ri ro sa se si so ta te ti to va ve vi'.split(
    ' ',
  );

export function createCorpus(seed: number): Corpus {
  const random = createRandom(seed);
  const vocabulary = Array.from({ length: vocabularySize }, (_, rank) => wordOf(rank));
  const rankByZipf = () => Math.floor(vocabularySize ** random()) - 1;
  const word = (rank: number) => vocabulary[Math.min(rank, vocabularySize - 1)] ?? '';
  return {
    sentence: (words) => Array.from({ length: words }, () => word(rankByZipf())).join(' '),
    query: () => {
      const ranks = [0, 0].map(() => 50 + Math.floor(3_000 * random()));
      return ranks.map(word).join(' ');
    },
  };
}

function wordOf(rank: number): string {
  let rest = rank + 1;
  let text = '';
  while (rest > 0) {
    text += syllables[rest % syllables.length];
    rest = Math.floor(rest / syllables.length);
  }
  // Without the last letter the commonest would be `de`, `la` and `no`, which are words of many languages.
  return `${text}k`;
}

/** mulberry32: small, seeded, good enough to draw words. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
