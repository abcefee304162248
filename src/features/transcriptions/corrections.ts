import { type AppError, conflict, invalid } from '../../domain/errors.ts';
import type { Segment } from '../../domain/transcript.ts';
import { certain, corrected } from './correction.ts';
import type { Correction } from './schema.ts';

/** A segment without words is removed. */
export function withTexts(segments: readonly Segment[], corrections: readonly Correction[]): Segment[] {
  const changed = [...segments];
  for (const { position, expected_text, text, confirmed, speaker } of corrections) {
    const segment = segments[position];
    if (!segment) throw invalid(`segments: this transcription has ${segments.length} segments.`);
    if (segment.text.trim() !== expected_text.trim())
      throw conflict('This segment has changed since you read it. Read it again, then change it.');
    const said = text === undefined ? segment : corrected(segment, text);
    changed[position] = {
      ...(confirmed ? certain(said) : said),
      speaker: speaker ?? segment.speaker,
    };
  }
  const positions = new Set(
    corrections.flatMap(({ position, text }) => (text === undefined ? [] : [position])),
  );
  return changed.filter(({ text }, position) => text !== '' || !positions.has(position));
}

/** Two speakers with the same name become one. */
export function renamed(segments: readonly Segment[], names: ReadonlyMap<string, string>): Segment[] {
  const known = new Set(segments.map(({ speaker }) => speaker));
  const unknown = [...names.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) throw unknownSpeaker(unknown, known);
  return segments.map((segment) => ({
    ...segment,
    speaker: names.get(segment.speaker ?? '') ?? segment.speaker,
  }));
}

function unknownSpeaker(name: string, known: ReadonlySet<string | null>): AppError {
  const names = [...known].filter((speaker) => speaker !== null);
  const those =
    names.length > 0 ? `Its speakers are ${names.slice(0, 20).join(', ')}` : 'It names no speakers';
  return invalid(`speakers: this transcription has no ${name}. ${those}.`);
}

/** Raises `validation_error` for subtitles of a transcription without words. */
export function timed(segments: Segment[] | null): Segment[] {
  if (!segments?.some(({ text }) => text.trim() !== ''))
    throw invalid('format must be json or text: this transcription has no words.');
  return segments;
}
