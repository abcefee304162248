import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as porter } from '@orama/stemmers/english';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greekStem } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { type Language, languages } from './languages.ts';
import { toSimplified } from './simplified.ts';

const maxCachedStems = 20_000;
const latin = /^[a-z]+$/;
const arabic = /^[\u0620-\u064A]+$/;
// Letters of Ukrainian, Belarusian, Serbian and Macedonian are not here: Russian endings are not theirs.
const russian = /^[а-яй]+$/;
const greek = /^[α-ω]+$/;
const hindi = /^[\u0900-\u097F]+$/;

const han = /^[\u4E00-\u9FFF]+$/;
const katakana = /[\u30A1-\u30F6]/;
const katakanaSign = /[\u30A1-\u30F6]/g;

// Turkish puts its endings one behind the other, and Snowball's rules for them need the dots that folding removes.
// Five letters rank as well as a dictionary does (Can and others, Information Retrieval on Turkish Texts, 2008).
const turkishStemLetters = 5;
// The package's Porter stemmer also drops the letter before `ion`: it makes `discus` of discussion and `connec` of
// connection. So these words are done here: `ion` goes if two vowels with consonants after them are left.
const beforeIon =
  /^(?=(?:[^aeiou][^aeiouy]*|(?=[aeiou]))(?:[aeiouy][aeiou]*[^aeiou][^aeiouy]*){2,}ion)(.*(?:s|(?<!a)t))(?:ion(?:s|ed|ing)?|(?<=t)ionals?)$/;

/** They get folded words, without accents, because people leave accents out when they search. */
const latinStemmers: Record<Language, (word: string) => string> = {
  english: (word) => beforeIon.exec(word)?.[1] ?? porter(word),
  german,
  spanish,
  french,
  italian,
  // ação and ações, reunião and reuniões.
  portuguese: (word) => portuguese(word.replace(/(?:oes|aes|aos)$/, 'ao')),
  dutch,
  swedish,
  norwegian,
  finnish,
  hungarian,
  romanian,
  turkish: (word) => word.slice(0, turkishStemLetters),
};

const cachedStems = new Map<Language, Map<string, string>>(
  languages.map((language) => [language, new Map()]),
);

/** The stem of a folded word, as the index holds it. */
export function stemOf(word: string, language: Language): string {
  const cache = cachedStems.get(language);
  const cached = cache?.get(word);
  if (cached !== undefined) return cached;
  const stem = computeStem(word, language);
  if (stem === undefined) return word;
  if (cache && cache.size >= maxCachedStems) cache.clear();
  // V8 lets a word of 13 characters and more point into the text it was cut from: cached without a copy it would
  // keep the whole note in memory.
  cache?.set(Buffer.from(word, 'utf16le').toString('utf16le'), stem);
  return stem;
}

/** The stems that a word can have in notes of these languages. */
export const stemsOf = (word: string, noteLanguages: readonly Language[]): string[] => [
  ...new Set(noteLanguages.map((language) => stemOf(word, language))),
];

function computeStem(word: string, language: Language): string | undefined {
  if (latin.test(word)) return latinStemmers[language](word);
  if (russian.test(word)) return russianStem(word).replaceAll('й', 'и');
  if (greek.test(word)) return greekStem(word);
  if (arabic.test(word)) return arabicStem(word);
  if (hindi.test(word)) return hindiStem(word);
  if (han.test(word)) return toSimplified(word);
  if (katakana.test(word)) return word.replace(katakanaSign, toHiragana);
  return undefined;
}

// ガラス and がらす are one word; Unicode has both scripts in the same order.
const toHiragana = (sign: string) => String.fromCharCode(sign.charCodeAt(0) - 0x60);

/**
 * Light10 (Larkey, Ballesteros, Connell 2002) after the usual normalising of letters. On the Arabic questions three words
 * score .862 with it, .859 with Snowball's stemmer and .838 with whole words.
 */
function arabicStem(word: string): string {
  const plain = word.replace(/ٱ/g, 'ا').replace(/ى/g, 'ي').replace(/ة/g, 'ه');
  const root = plain.replace(/^و(?=.{3})/, '').replace(/^(ال|بال|كال|فال|لل)(?=.{2})/, '');
  return root.replace(/(?<=.{2})(ها|ان|ات|ون|ين|يه|ه|ي)$/, '').replace(/(?<=.{2})(ات|ه|ي)$/, '');
}

/** Ramanathan and Rao's list of endings (2003), the longest first. At least two characters stay. */
const hindiEndings =
  /(?<=.{2})(ाएंगी|ाएंगे|ाऊंगी|ाऊंगा|ाइयाँ|ाइयों|ाइयां|ाएगी|ाएगा|ाओगी|ाओगे|एंगी|ेंगी|एंगे|ेंगे|ूंगी|ूंगा|ातीं|नाओं|नाएं|ताओं|ताएं|ियाँ|ियों|ियां|ाकर|ाइए|ाईं|ाया|ेगी|ेगा|ोगी|ोगे|ाने|ाना|ाते|ाती|ाता|तीं|ाओं|ाएं|ुओं|ुएं|ुआं|कर|ाओ|िए|ाई|ाए|ने|नी|ना|ते|ीं|ती|ता|ाँ|ां|ों|ें|ो|े|ू|ु|ी|ि|ा)$/;
const hindiStem = (word: string): string => word.replace(hindiEndings, '');

// Snowball's Russian stemmer: https://snowballstem.org/algorithms/russian/stemmer.html, with й as a letter of its own.
const perfectiveGerund = /(?:(?<=[ая])(?:вшись|вши|в)|ившись|ывшись|ивши|ывши|ив|ыв)$/;
const adjective = /(?:ими|ыми|его|ого|ему|ому|ее|ие|ые|ое|ей|ий|ый|ой|ем|им|ым|ом|их|ых|ую|юю|ая|яя|ою|ею)$/;
const participle = /(?:(?<=[ая])(?:ем|нн|вш|ющ|щ)|ивш|ывш|ующ)$/;
const reflexive = /(?:ся|сь)$/;
const verb =
  /(?:(?<=[ая])(?:ете|йте|ешь|нно|ла|на|ли|ем|ло|но|ет|ют|ны|ть|й|л|н)|уйте|ейте|ила|ыла|ена|ите|или|ыли|ило|ыло|ено|ует|уют|ены|ить|ыть|ишь|ей|уй|ил|ыл|им|ым|ен|ят|ит|ыт|ую|ю)$/;
const noun =
  /(?:иями|ями|ами|ией|иям|ием|иях|ев|ов|ие|ье|еи|ии|ей|ой|ий|ям|ем|ам|ом|ях|ах|ию|ью|ия|ья|а|е|и|й|о|у|ы|ь|ю|я)$/;
const derivational = /(?:ость|ост)$/;

function russianStem(word: string): string {
  const afterVowel = /[аеиоуыэюя]/.exec(word);
  if (!afterVowel) return word;
  const start = afterVowel.index + 1;
  const head = word.slice(0, start);
  const second = /[аеиоуыэюя][^аеиоуыэюя].*?[аеиоуыэюя][^аеиоуыэюя]/.exec(word);
  const derivationalFrom = second ? second.index + second[0].length : word.length;
  // An ending that depends on the letter before it sees only the part after the first vowel.
  const drop = (rest: string, ending: RegExp) => rest.replace(ending, '');
  let rest = word.slice(start);
  const withoutGerund = drop(rest, perfectiveGerund);
  if (withoutGerund !== rest) rest = withoutGerund;
  else {
    rest = drop(rest, reflexive);
    const withoutAdjective = drop(rest, adjective);
    if (withoutAdjective !== rest) rest = drop(withoutAdjective, participle);
    else {
      const withoutVerb = drop(rest, verb);
      rest = withoutVerb !== rest ? withoutVerb : drop(rest, noun);
    }
  }
  rest = drop(rest, /и$/);
  const longEnough = derivational.exec(rest);
  if (longEnough && start + longEnough.index >= derivationalFrom) rest = rest.slice(0, longEnough.index);
  rest = rest
    .replace(/(?:ейше|ейш)$/, '')
    .replace(/нн$/, 'н')
    .replace(/ь$/, '');
  return head + rest;
}
