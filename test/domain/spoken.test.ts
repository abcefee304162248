import { expect, test } from 'vitest';
import type { NoteWithTranscript } from '../../src/domain/note.ts';
import { decided, followed } from '../../src/domain/spoken.ts';
import type { Segment } from '../../src/domain/transcript.ts';
import { noteRecord } from '../support/exports.ts';

const segment = (text: string, start: number): Segment => ({
  start,
  end: start + 1,
  text,
  speaker: 'Speaker 1',
  words: [{ word: text, start, end: start + 1, score: 0.9 }],
});
const said = (...segments: Segment[]) => ({ segments, text: '', audio_duration_ms: 10_000 });
const transcript = JSON.stringify([segment('Hello', 0)]);
const voiceNote = (fields: Partial<NoteWithTranscript> = {}) =>
  noteRecord({ content: 'Hello', content_is_transcript: true, transcript, ...fields });

test('what somebody writes is not the transcript’s text, whatever it says', () => {
  expect(decided(voiceNote(), { content: 'Mine' })).toEqual({
    content: 'Mine',
    content_is_transcript: false,
  });
  expect(decided(voiceNote(), { content: '' })).toEqual({ content: '', content_is_transcript: false });
  const written = voiceNote({ content: 'Mine', content_is_transcript: false });
  expect(decided(written, { content: 'Hello' }).content_is_transcript).toBe(false);
});

test('a change that leaves the text alone leaves the flag alone', () => {
  expect(decided(voiceNote(), { title: 'T' })).toEqual({ title: 'T' });
  expect(decided(voiceNote(), { content: 'Hello' }).content_is_transcript).toBe(true);
});

test('a restored text of the transcript is what the transcript says now', () => {
  const restored = { content: 'Halo', content_is_transcript: true };
  const written = voiceNote({ content: 'Mine', content_is_transcript: false });
  expect(decided(written, restored)).toEqual({ content: 'Hello', content_is_transcript: true });
  expect(decided(noteRecord(), restored)).toEqual({ content: 'Halo', content_is_transcript: false });
});

test('a correction changes the transcript, and the text only while it is the transcript’s', () => {
  const after = JSON.stringify([segment('Goodbye', 0)]);
  expect(followed(voiceNote(), [said(segment('Goodbye', 0))])).toEqual({
    transcript: after,
    content: 'Goodbye',
    content_is_transcript: true,
  });
  // Not even if somebody wrote the very same words.
  expect(followed(voiceNote({ content_is_transcript: false }), [said(segment('Goodbye', 0))])).toEqual({
    transcript: after,
  });
  // Not what somebody has written in a note that gets its first recording; an empty one has nothing else to say.
  expect(followed(noteRecord(), [said(segment('Goodbye', 0))])).toEqual({ transcript: after });
  expect(followed(noteRecord({ content: ' ' }), [said(segment('Goodbye', 0))])).toEqual({
    transcript: after,
    content: 'Goodbye',
    content_is_transcript: true,
  });
});

test('recordings of one note are one transcript, with the times of one after the other', () => {
  const { transcript: both, content } = followed(voiceNote(), [
    said(segment('One', 2)),
    { segments: null, text: 'Two', audio_duration_ms: 5_000 },
    said(segment('Three', 1)),
  ]);
  const segments: Segment[] = JSON.parse(both ?? '');
  expect(segments.map(({ text, start, end }) => [text, start, end])).toEqual([
    ['One', 2, 3],
    ['Two', 10, 15],
    ['Three', 16, 17],
  ]);
  expect(segments[2]?.words).toEqual([{ word: 'Three', start: 16, end: 17, score: 0.9 }]);
  expect(content).toBe('One\n\nTwo\n\nThree');
});
