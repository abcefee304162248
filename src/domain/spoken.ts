import type { NoteChanges, NoteWithTranscript } from './note.ts';
import { toParagraphs } from './subtitles.ts';
import { readTranscript, type Segment, toMilliseconds } from './transcript.ts';
import type { Transcription } from './transcription.ts';

/**
 * What a change makes of a note's text. A text that a person writes is not the transcript's, and never changes the transcript.
 * A revision that was the transcript's text becomes what the transcript says now.
 */
export function decided(note: NoteWithTranscript, given: NoteChanges): NoteChanges {
  const changes = given.enhanced_content === null ? { ...given, ...unwritten } : given;
  const { content, content_is_transcript: isTranscript } = changes;
  if (isTranscript && note.transcript !== null) return { ...changes, content: writtenOut(note.transcript) };
  if (content === undefined) return changes;
  return { ...changes, content_is_transcript: content === note.content && note.content_is_transcript };
}

/** A text that is gone was written from nothing. */
const unwritten = { enhancement_prompt: null, enhanced_at_content_hash: null };

/**
 * What the transcriptions of a note change in it: the transcript, and its text while that is the transcript's. An empty note
 * that gets its first transcript has its text.
 */
export function followed(
  { content, content_is_transcript, transcript }: NoteWithTranscript,
  said: readonly Said[],
): Pick<NoteWithTranscript, 'transcript'> & NoteChanges {
  const segments = joined(said);
  const isFirst = transcript === null && content.trim() === '';
  return {
    transcript: JSON.stringify(segments),
    ...(content_is_transcript || isFirst
      ? { content: toParagraphs(segments), content_is_transcript: true }
      : {}),
  };
}

type Said = Pick<Transcription, 'segments' | 'text' | 'audio_duration_ms'>;

/** One transcript of recordings that play one after the other. */
function joined(said: readonly Said[]): Segment[] {
  let from = 0;
  return said.flatMap(({ segments, text, audio_duration_ms }) => {
    const start = from;
    const seconds = (audio_duration_ms ?? 0) / 1000;
    from += seconds;
    const own = segments ?? [{ start: 0, end: seconds, text, speaker: null, words: [] }];
    return start === 0 ? own : own.map((segment) => later(segment, start));
  });
}

const later = (segment: Segment, by: number): Segment => ({
  ...segment,
  ...shifted(segment, by),
  words: segment.words.map((word) => ({ ...word, ...shifted(word, by) })),
});

const shifted = ({ start, end }: { start: number; end: number }, by: number) => ({
  start: toMilliseconds(start + by),
  end: toMilliseconds(end + by),
});

function writtenOut(transcript: string): string {
  const { segments, text } = readTranscript(transcript);
  return segments ? toParagraphs(segments) : text;
}
