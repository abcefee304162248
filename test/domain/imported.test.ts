import { expect, test } from 'vitest';
import {
  importedFolder,
  importedNote,
  importedRecording,
  importedSnippet,
  importedTranscription,
  importedWord,
} from '../../src/domain/imported.ts';
import { noteRecord, recordingRecord } from '../support/exports.ts';
import { at } from '../support/rows.ts';

const id = '0190a5c0-7b1e-7cc2-9c3e-3f1b1a2c4d5e';
const times = { created_at: at(1), updated_at: at(1) };
const records = {
  folder: [importedFolder, { id, name: 'Work', sort_order: 1, ...times }],
  note: [importedNote, noteRecord()],
  transcription: [
    importedTranscription,
    {
      ...{ id, user_id: 'x', status: 'completed', text: 'Hello', word_count: 1, source: 'cloud' },
      ...{
        provider: null,
        model: null,
        language: 'en',
        audio_duration_ms: 1,
        processing_ms: 1,
        created_at: at(1),
      },
      segments: [
        {
          start: 0,
          end: 1,
          text: 'Hello',
          speaker: null,
          words: [{ word: 'Hello', start: 0, end: 1, score: 1 }],
        },
      ],
    },
  ],
  recording: [importedRecording, recordingRecord()],
  word: [importedWord, { id, word: 'Steno', source: 'manual', ...times }],
  snippet: [importedSnippet, { id, trigger: 'sig', replacement: 'Yours', ...times }],
} as const;

const long = (length: number) => 'x'.repeat(length);

/** What no route would take. */
const refused: Record<keyof typeof records, Record<string, unknown[]>> = {
  folder: { name: [long(101), '', '\u200b', 'a\nb', 'a\u202eb'], sort_order: [2 ** 31, 1.5] },
  note: {
    title: [long(501)],
    content: [long(1_048_577), null],
    enhanced_content: [long(1_048_577)],
    transcript: [long(10_000_001)],
    client_note_id: [long(601)],
    revision: [0, 2 ** 31, 2 ** 31 - 1, 1_000_000_001],
    edited_with: [long(201)],
    participants: [long(10_001)],
    calendar_event_id: [long(10_001)],
    note_type: ['other'],
    created_at: ['yesterday', '+010000-01-01T00:00:00.000Z'],
  },
  transcription: {
    text: [long(1_048_577)],
    word_count: [-1, 2 ** 31],
    source: [long(201)],
    provider: [long(201)],
    model: [long(201)],
    language: [long(201)],
    audio_duration_ms: [-1, 1.5],
    processing_ms: [-1],
    segments: [[1], [{}], [{ start: 0, end: 1, text: 'x', speaker: null, words: Array(20_001).fill(1) }]],
  },
  recording: {
    name: [long(201), '', 'a\nb'],
    media_type: ['text/html'],
    bytes: [-1, 0.5],
    duration_ms: [-1],
    state: ['uploading', 'other'],
    progress: [2],
    error: [long(10_001)],
    language: [long(201)],
    prompt: [long(2_001)],
  },
  word: { word: [long(101), '', 'a\nb'] },
  snippet: { trigger: [long(101), ''], replacement: [long(5_001)] },
};

test.each(Object.entries(records))('an exported %s is taken as it is', (_name, [schema, record]) => {
  expect(schema.safeParse(record).error).toBeUndefined();
});

test.each(
  Object.entries(refused).flatMap(([name, fields]) =>
    Object.entries(fields).flatMap(([field, values]) => values.map((value) => [name, field, value] as const)),
  ),
)('a %s whose %s no route would take is refused', (name, field, value) => {
  const [schema, record] = records[name as keyof typeof records];
  const { error } = schema.safeParse({ ...record, [field]: value });
  expect(error?.issues[0]?.path[0]).toBe(field);
});

test.each(
  Object.entries(records).flatMap(([name, [schema]]) =>
    Object.keys(schema.shape)
      .filter((field) => field.endsWith('_at'))
      .map((field) => [name, field] as const),
  ),
)('a %s whose %s is thousands of years ahead is refused', (name, field) => {
  const [schema, record] = records[name as keyof typeof records];
  const { error } = schema.safeParse({ ...record, [field]: '9999-12-31T23:59:59.999Z' });
  expect(error?.issues[0]?.path[0]).toBe(field);
});

test('a title of 500 emojis is as long as one of 500 letters', () => {
  expect(importedNote.safeParse(noteRecord({ title: '😀'.repeat(500) })).success).toBe(true);
  expect(importedNote.safeParse(noteRecord({ title: '😀'.repeat(501) })).success).toBe(false);
});

test('segments are kept as the JSON that is stored', () => {
  const [schema, record] = records.transcription;
  expect(JSON.parse(schema.parse(record).segments ?? '')).toEqual(record.segments);
  expect(schema.parse({ ...record, segments: null }).segments).toBeNull();
});
