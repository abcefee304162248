import {
  check,
  expect,
  expectAnswer,
  expectError,
  expectSame,
  invalid,
  type Part,
  type Target,
} from './check.ts';
import { NotSeen } from './client.ts';
import { dataOf, transcribeResult, transcription } from './shapes.ts';
import { durationMs, formOf, recording, silentWav } from './sound.ts';

const maxBytes = 4 * 1_048_576;
const write = ['transcriptions:write', 'transcriptions:read', 'transcriptions:delete'] as const;

const hasTranscription = ({ plan }: Target) => plan !== 'free';

/** The record goes again at the end. Its minutes stay used. */
export async function transcribe(target: Target, file: Uint8Array, fields: Record<string, string> = {}) {
  if (!hasTranscription(target)) throw new NotSeen('the key is of the free plan');
  const { api, later } = target;
  const answer = await api.call('POST', '/transcribe', { body: formOf(file, fields) });
  if (answer.status === 503) throw new NotSeen('transcription is paused');
  if (answer.body?.error?.code === 'quota_exceeded') throw new NotSeen('the minutes of this month are used');
  const { data } = expectAnswer(answer, 200, dataOf(transcribeResult)).body;
  later(() => api.call('DELETE', `/transcriptions/${data.id}`));
  return data;
}

const refused = async (target: Target, body: unknown) => {
  if (!hasTranscription(target)) throw new NotSeen('the key is of the free plan');
  return target.api.call('POST', '/transcribe', { body });
};

export const transcribing: Part = {
  name: 'Transcribe',
  checks: [
    check('403 plan_required: the plan is not Pro or Business', ['transcriptions:write'], async (target) => {
      if (hasTranscription(target)) throw new NotSeen(`the plan of the key is ${target.plan}`);
      const answer = await target.api.call('POST', '/transcribe', { body: formOf(silentWav(48_044)) });
      expectError(answer, 403, 'plan_required');
    }),
    ...['wav', 'mp3', 'm4a', 'ogg', 'flac', 'webm'].map((format) =>
      check(`audio in ${format}, found by its content`, write, async (target) => {
        const data = await transcribe(target, recording(format));
        expect(
          Math.abs(data.duration_ms - 11_000) < 500,
          `duration_ms is ${data.duration_ms}, should be near 11000`,
        );
        expectSame(data.words, data.text.split(/\s+/).filter(Boolean).length, 'words');
      }),
    ),
    check('A successful call stores a Transcription, and data.id is its id', write, async (target) => {
      const data = await transcribe(target, recording('ogg'), { language: 'en', prompt: 'Kennedy, country' });
      const answer = await target.api.call('GET', `/transcriptions/${data.id}`);
      const stored = expectAnswer(answer, 200, dataOf(transcription)).body.data;
      expectSame([stored.id, stored.text, stored.source], [data.id, data.text, 'cloud'], 'the record');
      expectSame(
        [stored.word_count, stored.audio_duration_ms],
        [data.words, data.duration_ms],
        'its numbers',
      );
      expect(
        Array.isArray(stored.segments) && Number.isInteger(stored.processing_ms),
        'segments, processing_ms',
      );
    }),
    check('Silence is a success with an empty text and 0 words', write, async (target) => {
      const { text, words } = await transcribe(target, silentWav(384_044));
      expectSame([text, words], ['', 0], 'text and words');
    }),
    check('An upload of 4,000,000 bytes must pass', write, async (target) => {
      const data = await transcribe(target, silentWav(4_000_000));
      expect(Math.abs(data.duration_ms - durationMs(4_000_000)) < 100, `duration_ms is ${data.duration_ms}`);
    }),
    check('413 payload_too_large: the file is over 4 MB', write, async (target) => {
      expectError(await refused(target, formOf(silentWav(maxBytes + 4))), 413, 'payload_too_large');
    }),
    check('400 validation_error: the file is not recognised as audio', write, async (target) => {
      invalid(await refused(target, formOf(Buffer.from('this is no sound'))));
      invalid(await refused(target, formOf(new Uint8Array(0))));
    }),
    check('file is required; the request is multipart/form-data', write, async (target) => {
      invalid(await refused(target, formOf(undefined, { language: 'en' })));
      invalid(await refused(target, { file: 'x' }));
    }),
    check('language accepts en and en-US forms; what the engine cannot do is 400', write, async (target) => {
      await transcribe(target, silentWav(96_044), { language: 'en-US' });
      invalid(await refused(target, formOf(silentWav(96_044), { language: 'no language at all' })));
    }),
    check('prompt up to 2,000 characters', write, async (target) => {
      await transcribe(target, silentWav(96_044), { prompt: 'x'.repeat(2_000) });
      invalid(await refused(target, formOf(silentWav(96_044), { prompt: 'x'.repeat(2_001) })));
    }),
    check(
      'duration_ms counts against the monthly quota; a failed call costs no minutes',
      [...write, 'usage:read'],
      async (target) => {
        const used = async () => (await target.api.call('GET', '/usage')).body.data.audio_ms_used;
        const before = await used();
        await refused(target, formOf(Buffer.from('this is no sound')));
        expectSame(await used(), before, 'audio_ms_used after a failed call');
        const { duration_ms } = await transcribe(target, silentWav(192_044));
        expectSame(await used(), before + duration_ms, 'audio_ms_used after a recording');
      },
    ),
    check('409 concurrency_limit: a transcription is already running on this key', write, async (target) => {
      const { api, later } = target;
      if (!hasTranscription(target)) throw new NotSeen('the key is of the free plan');
      const call = () => api.call('POST', '/transcribe', { body: formOf(recording('wav')) });
      const answers = await Promise.all([call(), call(), call()]);
      for (const answer of answers)
        if (answer.status === 200) later(() => api.call('DELETE', `/transcriptions/${answer.body.data.id}`));
      const refusals = answers.filter(({ status }) => status !== 200);
      expect(refusals.length < answers.length, 'none of three calls at once was served');
      for (const answer of refusals) expectError(answer, 409, 'concurrency_limit');
      if (refusals.length === 0) throw new NotSeen('no two of three calls overlapped');
    }),
    check('Each call counts as 5 requests, failed ones too', ['transcriptions:write'], async ({ api }) => {
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const before = (await api.call('GET', '/me')).headers;
        const after = (await api.call('POST', '/transcribe', { body: formOf(undefined) })).headers;
        const left = (headers: Headers) => Number(headers.get('x-ratelimit-remaining'));
        if (before.get('x-ratelimit-reset') !== after.get('x-ratelimit-reset')) continue;
        if (left(before) - left(after) === 5) return;
      }
      throw new Error('the call did not take 5 from X-RateLimit-Remaining in three attempts');
    }),
  ],
  unseen: [
    {
      sentence: '429 quota_exceeded: 600 audio minutes are used',
      why: 'it would use up the minutes of the key',
    },
    { sentence: '503 service_unavailable: the beta is paused', why: 'only the operator can pause it' },
    {
      sentence: 'duration_ms is estimated from file size when the engine reports none',
      why: 'depends on the engine',
    },
    { sentence: 'provider and model are informational', why: 'any value is right' },
    {
      sentence: 'names and jargon of the prompt are spelled correctly',
      why: 'a matter of the engine; measured elsewhere',
    },
    { sentence: 'The lock and the reservation survive a crash', why: 'a caller cannot crash the server' },
    {
      sentence: 'The cap is enforced while streaming in',
      why: 'the memory of the server is not seen from outside',
    },
  ],
};
