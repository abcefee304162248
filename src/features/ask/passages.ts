import type { NoteWithTranscript } from '../../domain/note.ts';
import { saidParts } from '../../domain/transcript.ts';
import type { AskedAnswer, Citation } from './schema.ts';

export const nothingFound: AskedAnswer = {
  found: false,
  answer: 'I did not find this in your notes.',
  citations: [],
};

/** Some words of a note that stand together; at most `maxPartLength` characters. */
interface Part {
  text: string;
  seconds: number | null;
}

/** About `unitLength` characters of a note, with its neighbours what the model gets. */
export interface Unit {
  note: Pick<NoteWithTranscript, 'id' | 'title' | 'created_at'>;
  field: Citation['field'];
  /** Its place in the field. */
  place: number;
  parts: Part[];
}

export interface Passage extends Omit<Unit, 'place'> {
  number: number;
}

const maxPartLength = 400;
const unitLength = 250;
/** As much of each field as search marks. */
const maxLengthLookedAt = 200_000;
const maxPassages = 12;
const lines = new RegExp(`[^\\n]{1,${maxPartLength}}(?=\\s|$)|[^\\n]{1,${maxPartLength}}`, 'g');

export function* unitsOf(note: NoteWithTranscript): Generator<Unit> {
  // The text of a voice note without an edit is in the transcript too, with times.
  const content = note.content_is_transcript && note.transcript !== null ? '' : note.content;
  yield* unitsIn(note, 'content', plainParts(content));
  // What our model wrote is no source: it was made from the same note, without seconds, and may be wrong.
  const enhanced = note.enhanced_at_content_hash === null ? note.enhanced_content : null;
  yield* unitsIn(note, 'enhanced_content', plainParts(enhanced ?? ''));
  const said = note.transcript === null ? [] : saidParts(note.transcript);
  yield* unitsIn(
    note,
    'transcript',
    said.flatMap(({ text, seconds }) => plainParts(text).map((part) => ({ ...part, seconds }))),
  );
}

const plainParts = (text: string): Part[] =>
  (text.slice(0, maxLengthLookedAt).match(lines) ?? [])
    .map((line) => ({ text: line.trim(), seconds: null }))
    .filter((part) => part.text !== '');

function* unitsIn(note: Unit['note'], field: Unit['field'], parts: readonly Part[]): Generator<Unit> {
  let unit: Unit = { note, field, place: 0, parts: [] };
  let length = 0;
  let looked = 0;
  for (const part of parts) {
    looked += part.text.length;
    if (looked > maxLengthLookedAt) break;
    unit.parts.push(part);
    length += part.text.length;
    if (length < unitLength) continue;
    yield unit;
    unit = { note, field, place: unit.place + 1, parts: [] };
    length = 0;
  }
  if (unit.parts.length > 0) yield unit;
}

const wordRun = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
const stemLetters = 5;

const fold = (text: string) =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036F]+/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/(?<=\d)[.,'’\u00A0\u202F](?=\d{3}(?!\d))/g, '');

/** Words by their first five letters, numbers whole, and pairs of signs where a script has no spaces. */
export function keysOf(text: string): Set<string> {
  const keys = new Set<string>();
  for (const [run] of fold(text).matchAll(wordRun)) {
    if (/\d/.test(run)) keys.add(run);
    else if (!unspaced.test(run)) keys.add(run.slice(0, stemLetters));
    else {
      const signs = Array.from(run);
      for (const [at, sign] of signs.entries())
        if (at > 0 || signs.length === 1) keys.add((signs[at - 1] ?? '') + sign);
    }
  }
  return keys;
}

/** The units with the rarest words of the question, each with its neighbours, until `maxLength` characters are full. */
export function choosePassages(
  units: readonly { unit: Unit; keys: ReadonlySet<string> }[],
  question: string,
  maxLength: number,
): Passage[] {
  const asked = [...keysOf(question)];
  const having = new Map(asked.map((key) => [key, units.filter(({ keys }) => keys.has(key)).length]));
  const worth = (key: string) => Math.log(1 + units.length / (having.get(key) || 1));
  const nameOf = ({ note, field }: Unit, place: number) => `${note.id} ${field} ${place}`;
  const byName = new Map(units.map(({ unit }) => [nameOf(unit, unit.place), unit]));
  const scored = units
    .map(({ unit, keys }) => ({
      unit,
      score: asked.reduce((sum, key) => sum + (keys.has(key) ? worth(key) : 0), 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score);
  const passages: Passage[] = [];
  let left = maxLength;
  for (const { unit } of scored) {
    if (!byName.has(nameOf(unit, unit.place))) continue;
    const names = [-1, 0, 1].map((step) => nameOf(unit, unit.place + step));
    const parts = names.flatMap((name) => byName.get(name)?.parts ?? []);
    left -= parts.reduce((sum, { text }) => sum + text.length, 0);
    if (left < 0 && passages.length > 0) break;
    for (const name of names) byName.delete(name);
    passages.push({ note: unit.note, field: unit.field, number: passages.length + 1, parts });
    if (passages.length === maxPassages) break;
  }
  return passages;
}

export const passageText = ({ number, note, parts }: Passage) =>
  `[${number}] ${headOf(note)}\n${parts.map(({ text }) => text).join('\n')}`;

const headOf = ({ title, created_at }: Unit['note']) => `${title ?? 'Note'}, ${created_at.slice(0, 10)}`;

const marks = /(?:\s*\[\d{1,2}(?:\s*,\s*\d{1,2})*\])+/g;

/**
 * The answer with those citations alone whose passage has the words that it is cited for. One that is left without any is a
 * guess, and so not found.
 */
export function checkAnswer(written: string, passages: readonly Passage[]): AskedAnswer {
  const citations = new Map<number, Citation>();
  let before = 0;
  const answer = written.replace(marks, (group: string, at: number) => {
    const claim = lastSentence(written.slice(before, at));
    before = at + group.length;
    const numbers = new Set((group.match(/\d+/g) ?? []).map(Number));
    const kept = [...numbers].flatMap((number) => {
      const passage = passages.find((one) => one.number === number);
      const found = passage && supportOf(claim, passage);
      if (!found) return [];
      if (!citations.has(number)) citations.set(number, found);
      return [`[${number}]`];
    });
    return kept.length === 0 ? '' : ` ${kept.join('')}`;
  });
  if (citations.size === 0) return nothingFound;
  return { found: true, answer: answer.trim(), citations: [...citations.values()] };
}

/** The mark may stand before or behind the full stop. */
function lastSentence(text: string): string {
  const sentences = text.split(/(?<=[.!?。！？])\s+|\n+/).filter((sentence) => keysOf(sentence).size > 0);
  return sentences.at(-1) ?? '';
}

// Transcripts say "five" where answers write 5.
const smallNumber = 12;
const minShare = 1 / 3;

/** Numbers must all be there, and a third of the longer words: an answer puts things in words of its own. */
function supportOf(claim: string, { number, note, field, parts }: Passage): Citation | undefined {
  const has = keysOf(`${headOf(note)} ${parts.map(({ text }) => text).join(' ')}`);
  const claimed = [...keysOf(claim)];
  const numbers = claimed.filter((key) => /^\d+$/.test(key) && Number(key) > smallNumber);
  const words = claimed.filter((key) => !/\d/.test(key) && (key.length >= 4 || unspaced.test(key)));
  const shared = words.filter((key) => has.has(key)).length;
  if (!numbers.every((key) => has.has(key))) return undefined;
  if (shared + numbers.length === 0 || shared < words.length * minShare) return undefined;
  const common = (text: string) => {
    const keys = keysOf(text);
    return claimed.filter((key) => keys.has(key)).length;
  };
  const [best] = parts
    .map((part) => ({ part, words: common(part.text) }))
    .sort((one, other) => other.words - one.words);
  const { text: quote = '', seconds = null } = best?.part ?? {};
  return { number, note_id: note.id, title: note.title, field, seconds, quote };
}
