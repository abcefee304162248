import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeForm } from '../support/form.ts';
import { newFolder, type ServerProcess, startServer } from '../support/process.ts';
import { recording, silence, wavOf } from '../support/sound.ts';

const spokenMs = 11_000;

describe('the real server with the real engine', () => {
  const dataDir = newFolder();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServer({ dataDir, settings: { STENO_ENGINE: 'embedded', STENO_WORKERS: '1' } });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function call(method: string, path: string, body?: Buffer | string, headers = {}) {
    const response = await fetch(`${server.address}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${server.key}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, text: await response.text() };
  }
  async function transcribe(file: Uint8Array, fields: Record<string, string> = {}) {
    const { payload, headers } = encodeForm({ ...fields, file });
    const { status, text } = await call('POST', '/transcribe', payload, headers);
    return { status, ...JSON.parse(text) };
  }

  test.each(['wav', 'mp3', 'm4a', 'ogg', 'flac', 'webm'])(
    'a recording in %s comes back as its words',
    async (format) => {
      const { status, data } = await transcribe(recording(`jfk.${format}`));
      expect(status).toBe(200);
      expect(data.text).toMatch(/my fellow Americans.+what you can do for your country/i);
      expect(data.words).toBe(22);
      expect(Math.abs(data.duration_ms - spokenMs)).toBeLessThanOrEqual(spokenMs / 100);
      const record = JSON.parse((await call('GET', `/transcriptions/${data.id}`)).text).data;
      expect(record).toMatchObject({ text: data.text, word_count: 22, audio_duration_ms: data.duration_ms });
      const words = record.segments.flatMap((segment: { words: unknown[] }) => segment.words);
      expect(words).toHaveLength(22);
      expect(words.at(-1).end).toBeLessThanOrEqual(spokenMs / 1000);
    },
  );

  test('silence is a success without words', async () => {
    const { status, data } = await transcribe(wavOf(silence(5)));
    expect(status).toBe(200);
    expect(data).toMatchObject({ text: '', words: 0, duration_ms: 5_000 });
  });

  test("a name takes the spelling of the person's dictionary", async () => {
    const body = JSON.stringify({ words: ['Dashwoode', 'Mutch'] });
    await call('POST', '/dictionary/create', body, { 'content-type': 'application/json' });
    const { data } = await transcribe(recording('ps_0870.wav'), { language: 'en-GB' });
    expect(data.text).toContain('John Dashwoode had');
    // An ordinary word that was heard right is left alone.
    expect(data.text).toContain('how much there');
    const vtt = await call('GET', `/transcriptions/${data.id}?format=vtt`);
    expect(vtt.text).toMatch(/^WEBVTT\n\n00:00:0.+ --> .+\n.*Dashwoode/);
  });

  test('a language that no model knows is refused', async () => {
    const { status, error } = await transcribe(recording('newhome.wav'), { language: 'xx' });
    expect([status, error.code]).toEqual([400, 'validation_error']);
  });

  test('what is no audio is refused, and all of it is added up', async () => {
    const { status, error } = await transcribe(Buffer.from('<html>'));
    expect([status, error.code]).toEqual([400, 'validation_error']);
    const records = JSON.parse((await call('GET', '/transcriptions/list')).text).data;
    const sum = records.reduce(
      (ms: number, record: { audio_duration_ms: number }) => ms + record.audio_duration_ms,
      0,
    );
    const usage = JSON.parse((await call('GET', '/usage')).text).data;
    expect(usage.audio_ms_used).toBe(sum);
  });
});
