import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { audioFormats } from '../../src/domain/audio.ts';
import { createAudioDecoder, createFormatList } from '../../src/engines/audio/decoder.ts';
import { recording } from '../support/sound.ts';

const folder = mkdtempSync(join(tmpdir(), 'steno-missing-'));
// The decoding process may run as another user.
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true }));

const hook = new URL('../support/without-packages.ts', import.meta.url);

/** A server under which these packages are gone, until `comeBack`. */
function serverWithout(packages: string) {
  const missing = join(mkdtempSync(join(folder, 'now-')), 'missing');
  chmodSync(join(missing, '..'), 0o755);
  writeFileSync(missing, '');
  const program = {
    read: [folder, fileURLToPath(hook)],
    flags: [`--import=${hook}`],
    env: { MISSING: missing, MISSING_PACKAGES: packages },
  };
  return { start: () => createAudioDecoder({ program }), comeBack: () => rmSync(missing) };
}

const mp3 = recording('jfk.mp3');
const fault = { code: 'service_unavailable', retryAfterSeconds: expect.any(Number) };

test.each(['node-web-audio-api @napi-rs/whisper', 'mediabunny', '@echogarden/fvad-wasm'])(
  'while the files of %s are gone a recording is 503, and once they are back it is read without a restart',
  async (packages) => {
    const { start, comeBack } = serverWithout(packages);
    const decoder = start();
    try {
      const listen = async () => {
        const stream = await decoder.stream({
          size: mp3.length,
          read: async (...part) => mp3.subarray(...part),
        });
        for await (const _ of stream.chunks());
        return stream.durationMs();
      };
      await expect(decoder.open(mp3)).rejects.toMatchObject(fault);
      await expect(listen()).rejects.toMatchObject(fault);
      comeBack();
      await expect(decoder.open(mp3)).resolves.toMatchObject({ durationMs: expect.any(Number) });
      await expect(listen()).resolves.toBeGreaterThan(10_000);
    } finally {
      await decoder.close();
    }
  },
);

test('the list of formats forgets a moment without decoder files', async () => {
  const { start, comeBack } = serverWithout('node-web-audio-api @napi-rs/whisper');
  const formats = createFormatList(start);
  expect(await formats()).not.toContain('mp3');
  comeBack();
  expect(await formats()).toEqual(audioFormats);
});
