import { lazily } from '../lib/lazily.ts';

/** A title in one line of a list. */
const maxLetters = 60;
/** "Okay." alone says nothing: a shorter sentence takes the next words along. */
const minSentenceLetters = 15;

const sentences = lazily(() => new Intl.Segmenter('und', { granularity: 'sentence' }));
const words = lazily(() => new Intl.Segmenter('und', { granularity: 'word' }));
const graphemes = lazily(() => new Intl.Segmenter('und', { granularity: 'grapheme' }));

/**
 * What a recording is called until it gets a title: its first sentence or, if that is long, as many whole words as
 * fit. Null if nothing was said.
 */
export function firstWords(text: string): string | null {
  const said = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  if (!/[\p{L}\p{N}]/u.test(said)) return null;
  let end = 0;
  for (const { segment } of sentences().segment(said)) {
    end += segment.length;
    const sentence = said.slice(0, end).trim();
    if (lettersIn(sentence) > maxLetters) break;
    if (lettersIn(sentence) >= minSentenceLetters || end === said.length) return withoutStop(sentence);
  }
  return `${withoutStop(wholeWords(said))}…`;
}

/** Scripts without spaces have words too. A word that is too long alone is cut. */
function wholeWords(said: string): string {
  let end = 0;
  for (const { segment, index, isWordLike } of words().segment(said)) {
    const next = index + segment.length;
    if (lettersIn(said.slice(0, next)) >= maxLetters) break;
    if (isWordLike) end = next;
  }
  if (end > 0) return said.slice(0, end);
  for (const { segment, index } of graphemes().segment(said)) {
    const next = index + segment.length;
    if (lettersIn(said.slice(0, next)) >= maxLetters) break;
    end = next;
  }
  return said.slice(0, end);
}

/** A question stays one. */
const withoutStop = (sentence: string) => sentence.replace(/[\s.,;:。、，；：·-]+$/u, '') || sentence;

const lettersIn = (text: string) => [...text].length;
