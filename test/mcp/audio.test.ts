import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { audioForm } from '../../src/mcp/audio-form.ts';

const form = audioForm({ method: 'POST', url: '/api/v1/transcribe', handler: () => {} });

/** What the route's parser will find. */
async function received(args: Record<string, unknown>): Promise<FormData> {
  const { url, headers, payload } = await form.toRequest(args);
  expect(url).toBe('/api/v1/transcribe');
  return new Response(Buffer.from(payload ?? ''), { headers: headers ?? {} }).formData();
}

describe('audio sent by an assistant', () => {
  test('arrives byte for byte, with its fields', async () => {
    const audio = randomBytes(4 * 1_048_576);
    const got = await received({
      audio_base64: audio.toString('base64'),
      filename: 'note.wav',
      language: 'en',
      prompt: 'Ørsted, Ada',
    });
    const file = got.get('file');
    if (!(file instanceof File)) expect.fail('There is no file part.');
    expect(file.name).toBe('note.wav');
    expect(audio.equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
    expect([got.get('language'), got.get('prompt')]).toEqual(['en', 'Ørsted, Ada']);
  });

  test('may be wrapped in lines and lack its padding, and needs no fields', async () => {
    const got = await received({ audio_base64: 'UklG\nRg' });
    expect([...got.keys()]).toEqual(['file']);
    const file = got.get('file');
    expect(file instanceof File && (await file.text())).toBe('RIFF');
  });

  test.each([
    ['nothing', {}, /^audio_base64 is required/],
    ['a link', { audio_base64: 'https://audio.example/a.wav' }, /standard base64/],
    ['half of it', { audio_base64: 'UklGR' }, /standard base64/],
    ['a wrong type', { audio_base64: 'UklG', language: 5 }, /^language must be a string/],
  ])('is refused when it is %s', async (_, args, message) => {
    await expect(async () => form.toRequest(args)).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringMatching(message),
    });
  });
});
