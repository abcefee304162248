import {
  boolean,
  exactly,
  fraction,
  integer,
  listOf,
  nullable,
  number,
  oneOf,
  type Rule,
  record,
  speaker,
  text,
  timestamp,
  uuid,
} from './rules.ts';

const noteFields = {
  id: uuid,
  user_id: uuid,
  client_note_id: uuid,
  title: nullable(text),
  content: text,
  enhanced_content: nullable(text),
  note_type: oneOf('personal', 'meeting', 'upload'),
  folder_id: nullable(uuid),
  participants: nullable(text),
  calendar_event_id: nullable(text),
  created_at: timestamp,
  updated_at: timestamp,
};
export const note = record(noteFields);
export const noteWithTranscript = record({ ...noteFields, transcript: nullable(text) });
export const foundNote = record({ ...noteFields, score: fraction });

const word = record({ word: text, start: number, end: number, score: nullable(fraction) });
const segment = record({ start: number, end: number, text, speaker, words: listOf(word) });
const transcriptionFields = {
  id: uuid,
  user_id: uuid,
  note_id: nullable(uuid),
  status: exactly('completed'),
  text,
  word_count: integer,
  source: text,
  provider: nullable(text),
  model: nullable(text),
  language: nullable(text),
  audio_duration_ms: nullable(integer),
  processing_ms: nullable(integer),
  created_at: timestamp,
};
export const listedTranscription = record(transcriptionFields);
export const transcription = record({ ...transcriptionFields, segments: nullable(listOf(segment)) });
export const transcript = record({
  note_id: uuid,
  text,
  segments: nullable(listOf(segment)),
  transcript: nullable(text),
});

export const transcribeResult = record({
  id: uuid,
  text,
  language: text,
  duration_ms: integer,
  words: integer,
  provider: text,
  model: text,
  beta: exactly(true),
});

export const folder = record({
  id: uuid,
  name: text,
  sort_order: integer,
  is_default: boolean,
  space_id: nullable(uuid),
  created_at: timestamp,
  updated_at: timestamp,
});

export const space = record({
  id: uuid,
  name: text,
  slug: text,
  description: nullable(text),
  emoji: nullable(text),
  created_at: timestamp,
  updated_at: timestamp,
});

export const dictionaryEntry = record({
  id: uuid,
  word: text,
  source: oneOf('manual', 'learned'),
  created_at: timestamp,
  updated_at: timestamp,
});

export const snippet = record({
  id: uuid,
  trigger: text,
  replacement: text,
  created_at: timestamp,
  updated_at: timestamp,
});

export const usage = record({
  words_used: integer,
  words_remaining: integer,
  limit: integer,
  plan: oneOf('free', 'pro', 'business'),
  is_subscribed: boolean,
  current_period_end: nullable(timestamp),
  billing_interval: oneOf('monthly', 'annual', null),
  audio_ms_used: integer,
  audio_ms_limit: integer,
  audio_resets_at: timestamp,
});

const keyFields = {
  id: uuid,
  name: text,
  key_prefix: text,
  scopes: listOf(text),
  last_used_at: nullable(timestamp),
  expires_at: nullable(timestamp),
  created_at: timestamp,
};
export const keyRecord = record(keyFields);
export const newKey = record({ ...keyFields, key: text });

export const me = record({
  scopes: listOf(text),
  expires_at: nullable(timestamp),
  user_id: uuid,
  plan: oneOf('free', 'pro', 'business'),
  key: nullable(record({ id: uuid, name: text, kind: oneOf('personal', 'workspace') })),
});

export const failure = record({ error: record({ code: text, message: text }) });
export const dataOf = (inner: Rule) => record({ data: inner });
export const pageOf = (inner: Rule) =>
  record({ data: listOf(inner), has_more: boolean, next_cursor: nullable(text) });
