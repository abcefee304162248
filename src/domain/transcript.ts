/** A stretch of speech. Times are seconds, a score is 0–1 or null where the engine tells none. */
export interface Segment {
  start: number;
  end: number;
  text: string;
  speaker: string | null;
  words: Word[];
}

export interface Word {
  word: string;
  start: number;
  end: number;
  score: number | null;
}

export interface Transcript {
  text: string;
  segments: Segment[] | null;
  /** As it is stored on the note: plain text, or a JSON array of segments. */
  transcript: string;
}

/** A note's transcript is plain text or a JSON array of segments; anything that is not the second is the first. */
export function readTranscript(transcript: string): Transcript {
  const segments = parseSegments(transcript);
  if (segments === null) return { text: transcript, segments: null, transcript };
  return { text: segments.map(({ text }) => text.trim()).join(' '), segments, transcript };
}

function parseSegments(text: string): Segment[] | null {
  if (!text.startsWith('[')) return null;
  try {
    const items: unknown = JSON.parse(text);
    return Array.isArray(items) && items.every(hasText) ? items.map(toSegment) : null;
  } catch {
    return null;
  }
}

type LooseSegment = Partial<Record<keyof Segment, unknown>> & { text: string };

const hasText = (item: unknown): item is LooseSegment =>
  typeof item === 'object' && item !== null && 'text' in item && typeof item.text === 'string';

/** Other programs wrote these too: what is missing or of the wrong kind becomes what "not known" looks like. */
const toSegment = ({ start, end, text, speaker, words }: LooseSegment): Segment => ({
  start: typeof start === 'number' ? start : 0,
  end: typeof end === 'number' ? end : 0,
  text,
  speaker: typeof speaker === 'string' ? speaker : null,
  words: Array.isArray(words) ? words.flatMap(toWords) : [],
});

function toWords(item: unknown): Word[] {
  if (typeof item !== 'object' || item === null) return [];
  const { word, start, end, score }: Partial<Record<keyof Word, unknown>> = item;
  if (typeof word !== 'string' || typeof start !== 'number' || typeof end !== 'number') return [];
  return [{ word, start, end, score: typeof score === 'number' ? score : null }];
}
