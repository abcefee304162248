import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxUploadBytes } from '../../src/domain/audio.ts';
import { type StenoWithAssistants, startWithAssistants } from '../support/assistant.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';

const base64 = (options: Parameters<typeof recording>[0]) => recording(options).toString('base64');

describe('an assistant that listens', () => {
  let steno: StenoWithAssistants;
  beforeAll(async () => {
    steno = await startWithAssistants({ speech: createFakeSpeech() });
  });
  afterAll(() => steno.close());

  test('transcribes a recording, finds it again and sees what it used', async () => {
    const { key } = await steno.person();
    const assistant = await steno.connect(key);
    const done = await assistant.use('transcribe_audio', { audio_base64: base64({ ms: 2_500, words: 3 }) });
    expect(done.body.data).toMatchObject({ text: 'word1 word2 word3', duration_ms: 2_500, words: 3 });
    const { id } = done.body.data;
    expect((await assistant.use('list_transcriptions')).body.data).toMatchObject([{ id, word_count: 3 }]);
    expect((await assistant.use('get_transcription', { id })).body.data.segments).toMatchObject([
      { text: 'word1 word2 word3' },
    ]);
    expect((await assistant.use('get_usage')).body.data).toMatchObject({
      words_used: 3,
      audio_ms_used: 2_500,
    });
  });

  test('finds a recording and reads what was said in it', async () => {
    const { key } = await steno.person();
    const assistant = await steno.connect(key);
    const { id } = (await uploadTo(steno, key, recording({ words: 2 }), '?name=Standup')).body.data;
    const { transcription_id } = await settled(steno, key, id);
    expect((await assistant.use('list_recordings')).body.data).toMatchObject([{ id, name: 'Standup' }]);
    const read = await assistant.use('get_recording', { id, include: 'transcript' });
    expect(read.body.data).toMatchObject({ state: 'done', transcription_id, transcript: 'word1 word2' });
    expect((await assistant.use('get_recording', { id })).body.data).not.toHaveProperty('transcript');
  });

  test('reads a transcription as plain text and as subtitles', async () => {
    const { key } = await steno.person();
    const assistant = await steno.connect(key);
    const done = await assistant.use('transcribe_audio', { audio_base64: base64({ words: 2 }) });
    const { id } = done.body.data;
    for (const format of ['text', 'srt', 'vtt']) {
      const direct = await steno.call('GET', `/transcriptions/${id}?format=${format}`, { key });
      expect(await assistant.use('get_transcription', { id, format })).toEqual({
        isError: false,
        body: { text: direct.text },
        text: direct.text,
      });
    }
  });

  test('may send as much audio as the route takes and not a byte more', async () => {
    const { key } = await steno.person();
    const assistant = await steno.connect(key);
    const send = (bytes: number) => assistant.use('transcribe_audio', { audio_base64: base64({ bytes }) });
    expect((await send(maxUploadBytes)).isError).toBe(false);
    expect((await send(maxUploadBytes + 1)).body.error.code).toBe('payload_too_large');
  });

  test('is told what is not audio, and what its plan does not include', async () => {
    const [pro, free] = [await steno.person(), await steno.person({ plan: 'free' })];
    const audio_base64 = base64({ words: 1 });
    const noise = await (await steno.connect(pro.key)).use('transcribe_audio', { audio_base64: 'AAAA' });
    expect(noise.body.error.code).toBe('validation_error');
    const refused = await (await steno.connect(free.key)).use('transcribe_audio', { audio_base64 });
    expect(refused.body.error.code).toBe('plan_required');
  });
});
