import { languageCount } from './alignment-heads.ts';
import { whisperLanguages } from './languages.ts';
import type { WhisperShape } from './shape.ts';

export interface Tokens {
  /** End of text; every id above it is a mark, no text. */
  end: number;
  start: number;
  previous: number;
  noTimestamps: number;
  transcribe: number;
  /** Codes of the languages that the model tells apart; empty for an English one. */
  languages: readonly string[];
  /** The mark of a language. */
  languageMark(code: string): number;
  encode(text: string): number[];
  decode(tokens: readonly number[]): string;
  /** Tokens that begin the name of a sound, as in "[Music]". */
  sounds: ReadonlySet<number>;
  /** Those, what closes them, and marks of subtitles such as ">>": never part of what is said. */
  unwanted: ReadonlySet<number>;
  /** Those, and signs: where a text begins with one, somebody said its name ("dot", "equals"). */
  unwantedFirst: ReadonlySet<number>;
}

interface TokenSource {
  /** Their bytes as characters; the special ones after them are not among them. */
  tokens: readonly string[];
  shape: Pick<WhisperShape, 'vocabulary'>;
}

/** How GPT-2 cuts text before it looks for tokens: words with the space before them, numbers, signs. */
const wordPattern = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

export function createTokens({ tokens, shape }: TokenSource): Tokens {
  const count = languageCount(shape.vocabulary);
  // English files number the marks as if they had 99 languages, one place further down.
  const end = count === 0 ? 50_256 : 50_257;
  const firstLanguage = end + 2;
  const translate = firstLanguage + (count === 0 ? 99 : count);
  const languages = whisperLanguages.slice(0, count);
  // Only made for the first text to encode: it takes 50 ms, and most recordings come without one.
  let ids: ReadonlyMap<string, number> | undefined;
  const idsByText = () => {
    ids ??= new Map(Array.from({ length: Math.min(end, tokens.length) }, (_, id) => [tokens[id] ?? '', id]));
    return ids;
  };
  const bytesOf = (token: number) => (token < end ? Buffer.from(tokens[token] ?? '', 'latin1') : none);
  const encode = (text: string) =>
    [...text.matchAll(wordPattern)].flatMap(([word]) => merge(toLatin(Buffer.from(word)), idsByText()));
  const decode = (list: readonly number[]) => new TextDecoder().decode(Buffer.concat(list.map(bytesOf)));
  const [sounds, unwanted, unwantedFirst] = [new Set<number>(), new Set<number>(), new Set<number>()];
  for (let id = 0; id < Math.min(end, tokens.length); id++) {
    const bytes = bytesOf(id);
    const isOfNote = isNote(bytes);
    if (isOfNote || opensSound.has(firstLetter(bytes))) sounds.add(id);
    if (isOfNote || bytes.some((byte) => brackets.has(byte))) unwanted.add(id);
    if (unwanted.has(id) || bytes.every((byte) => byte === space || signs.has(byte))) unwantedFirst.add(id);
  }

  return {
    end,
    start: end + 1,
    transcribe: translate + 1,
    previous: translate + 3,
    noTimestamps: translate + 5,
    languages,
    languageMark: (code) => firstLanguage + languages.indexOf(code),
    encode,
    decode,
    sounds,
    unwanted,
    unwantedFirst,
  };
}

const none = new Uint8Array(0);
const space = 0x20;
const opensSound: ReadonlySet<number | undefined> = new Set(Buffer.from('[(*'));
const brackets: ReadonlySet<number> = new Set(Buffer.from('[](){}<>*'));
/** All signs of ASCII but the dollar sign, which begins an amount. */
const signs: ReadonlySet<number> = new Set(Buffer.from('!"#%&\'+,-./:;=?@\\^_`|~'));
const firstLetter = (bytes: Uint8Array) => bytes[bytes[0] === space ? 1 : 0];
/** A note takes two tokens; its first one begins other pictures only. */
const isNote = (bytes: Uint8Array) =>
  firstLetter(bytes) === 0xe2 && bytes[(bytes[0] === space ? 1 : 0) + 1] === 0x99;
/** One character for each byte, so that bytes can be keys of a map. */
const toLatin = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

/** Byte pair encoding. Tokens were numbered as they were learnt, so the lowest id is the pair to join first. */
function merge(word: string, ids: ReadonlyMap<string, number>): number[] {
  const parts = [...word];
  for (;;) {
    let best = { at: -1, id: Number.POSITIVE_INFINITY };
    for (let at = 0; at + 1 < parts.length; at++) {
      const id = ids.get(`${parts[at]}${parts[at + 1]}`);
      if (id !== undefined && id < best.id) best = { at, id };
    }
    if (best.at < 0) return parts.flatMap((part) => ids.get(part) ?? []);
    parts.splice(best.at, 2, `${parts[best.at]}${parts[best.at + 1]}`);
  }
}
