/** A small generator with a seed: the same notes in every run and on every database. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export const vocabulary = {
  english:
    'running runs meeting meetings planned planning budget quarterly river house houses walked organization generally easily cats dog fish'.split(
      ' ',
    ),
  french: "café crème élève naïve façade aujourd'hui l'été garçon œuvre".split(' '),
  german: 'Straße Übung größer Mädchen Äpfel Fußball Rechtsschutzversicherung'.split(' '),
  polish: 'Łódź żółw gęś chrząszcz'.split(' '),
  russian: 'встреча Москва ёлка завтра подъезд'.split(' '),
  greek: 'Ελλάδα καλημέρα οδός'.split(' '),
  turkish: 'İstanbul ışık çağrı'.split(' '),
  hebrew: 'שלום ירושלים'.split(' '),
  arabic: 'مدرسة كتاب سلام'.split(' '),
  hindi: 'नमस्ते दिल्ली हिन्दी'.split(' '),
  japanese: '今日は東京で会議がありました 計画 データベース'.split(' '),
  chinese: '我们在北京开会 项目计划 数据库'.split(' '),
  korean: '서울에서 회의 계획'.split(' '),
  thai: 'วันนี้ประชุม กรุงเทพ'.split(' '),
  odd: 'c++ node.js foo_bar 3.14 2026-01-01 a@b.example x² ﬁne ½ 😀 #tag O’Brien’s'.split(' '),
};

const allWords = Object.values(vocabulary).flat();

export interface CorpusNote {
  title: string | null;
  content: string;
  enhanced_content: string | null;
}

/** Notes in several languages, mostly one language each, some mixed. */
export function corpus(size: number): CorpusNote[] {
  const random = seeded(42);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const text = (words: readonly string[], length: number) =>
    Array.from(
      { length },
      () => pick(random() < 0.1 ? allWords : words) + pick(['', '', '', ',', '.', '!']),
    ).join(' ');
  return Array.from({ length: size }, () => {
    const words = pick(Object.values(vocabulary));
    return {
      title: random() < 0.2 ? null : text(words, 3),
      content: text(words, 5 + Math.floor(random() * 40)),
      enhanced_content: random() < 0.7 ? null : text(words, 10),
    };
  });
}

const letters = 'bcdfghjklmnpqrstvwxz';

/** Distinct words that no stemmer touches: only consonants, and a digit at the end. */
export const distinctWord = (index: number) =>
  `${[...index.toString(20)].map((digit) => letters[Number.parseInt(digit, 20)]).join('')}7`;
