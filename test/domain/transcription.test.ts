import { expect, test } from 'vitest';
import { acceptedAudio, maxOpenAiUploadBytes, maxUploadBytes, sizeInWords } from '../../src/domain/audio.ts';
import { AppError, type ErrorCode, errorCodes, errorStatus, notFound } from '../../src/domain/errors.ts';
import {
  BadAudio,
  DecoderUnavailable,
  damagedAudio,
  NotAudio,
  SpeechOutOfOrder,
  UnsupportedLanguage,
} from '../../src/domain/speech-errors.ts';
import {
  countWords,
  languageForm,
  resultOf,
  type Transcription,
  wordsHeard,
} from '../../src/domain/transcription.ts';

test.each([
  ['', 0],
  ['one', 1],
  [' one  two\nthree ', 3],
  ['well - yes, 42!', 3],
  ["don't stop", 2],
  ['東京。大阪', 2],
  ['Tokyo 東京 now', 3],
  ['... ?', 0],
])('%j has %i words', (text, words) => {
  expect(countWords(text)).toBe(words);
});

test.each<[string, string[], string[]]>([
  ['We use Kysely.', ['kysely', 'Knex'], ['kysely']],
  ['Call Anna Schmidt now', ['Anna Schmidt', 'Ann', 'Schmidt now'], ['Anna Schmidt', 'Schmidt now']],
  ['C plus', ['!', '', 'c'], ['c']],
])('%j: of %j it says %j', (text, dictionary, heard) => {
  expect(wordsHeard(text, dictionary)).toEqual(heard);
});

test.each([
  ['en', true],
  ['en-US', true],
  ['zh-Hant-TW', true],
  ['e', false],
  ['english', false],
  ['en-', false],
  ['en-a-b', false],
])('%s can be a language: %s', (language, can) => {
  expect(languageForm.test(language)).toBe(can);
});

const stored: Transcription = {
  id: 't',
  user_id: 'u',
  note_id: null,
  status: 'completed',
  text: 'Two words',
  word_count: 2,
  source: 'api',
  provider: 'p',
  model: 'm',
  language: 'en',
  reason: null,
  audio_duration_ms: 700,
  processing_ms: 9,
  segments: [],
  created_at: '2026-01-01T00:00:00.000Z',
};

test.each([
  [700, 700],
  [null, 0],
])('an answer says the length of the audio: %s is %s', (audio_duration_ms, duration_ms) => {
  expect(resultOf({ ...stored, audio_duration_ms })).toEqual({
    id: 't',
    text: 'Two words',
    language: 'en',
    reason: null,
    duration_ms,
    words: 2,
    provider: 'p',
    model: 'm',
    beta: true,
  });
});

test('sizes and formats in words', () => {
  expect([sizeInWords(maxUploadBytes), sizeInWords(maxOpenAiUploadBytes)]).toEqual(['4 MiB', '25 MiB']);
  expect(acceptedAudio).toBe('WAV, MP3, M4A, MP4, OGG, FLAC, WebM, AAC, AIFF or CAF');
});

test('every error code has the status of the contract', () => {
  const byStatus: Record<number, ErrorCode[]> = {
    400: ['validation_error', 'limit_reached'],
    401: ['invalid_api_key', 'invalid_code'],
    403: ['forbidden', 'plan_required'],
    404: ['not_found', 'no_transcript'],
    405: ['method_not_allowed'],
    409: ['conflict', 'note_version_conflict', 'concurrency_limit'],
    412: ['precondition_failed'],
    413: ['payload_too_large'],
    415: ['unsupported_media_type'],
    416: ['range_not_satisfiable'],
    429: ['rate_limited', 'too_many_attempts', 'quota_exceeded'],
    500: ['internal_error'],
    503: ['service_unavailable'],
  };
  for (const code of errorCodes) expect(byStatus[new AppError(code, 'x').status]).toContain(code);
  expect(errorCodes).toEqual(Object.keys(errorStatus));
  expect(notFound('Note')).toMatchObject({ status: 404, message: 'Note not found' });
});

const many = Array.from({ length: 13 }, (_, i) => `l${i}`);
test.each<[string, AppError, number, string, number | undefined]>([
  [
    'a file that is no audio',
    new NotAudio(),
    400,
    'is not audio that this server can read. Send WAV',
    undefined,
  ],
  ['damaged audio', damagedAudio(), 400, 'is damaged', undefined],
  ['bad audio', new BadAudio('too long'), 400, 'too long', undefined],
  [
    'an unknown language',
    new UnsupportedLanguage('xx', ['de', 'en']),
    400,
    'one of these: de, en.',
    undefined,
  ],
  ['one of many', new UnsupportedLanguage('xx', many), 400, 'l10, l11, ….', undefined],
  ['one of twelve', new UnsupportedLanguage('xx', many.slice(1)), 400, 'l11, l12.', undefined],
  ['any language', new UnsupportedLanguage('xx', []), 400, 'Leave language out', undefined],
  ['a decoder that is away', new DecoderUnavailable('x'), 503, 'in a minute', 30],
  ['an engine that is away', new SpeechOutOfOrder('private'), 503, 'out of order', 60],
])('%s', (_, error, status, message, retryAfterSeconds) => {
  expect([error.status, error.retryAfterSeconds]).toEqual([status, retryAfterSeconds]);
  expect(error.message).toContain(message);
  expect(error.message).not.toContain('private');
});
