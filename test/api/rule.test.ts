import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudioDecoder } from '../../src/audio/decoder.ts';
import { createFakeTranscriber } from '../../src/engines/fake.ts';
import { nastyAudio } from '../support/nasty-audio.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';
import { countTurns } from '../support/turns.ts';

/** The rule: no request stops the others. bench/ measures it in milliseconds; here turns of the event loop are counted. */
let steno: TestSteno;
beforeAll(async () => {
  const speech = {
    decoder: createAudioDecoder({ limits: { cpuMs: 2_000 } }),
    transcriber: createFakeTranscriber(),
  };
  steno = await startSteno({ speech });
});
afterAll(() => steno.close());

test('a turn that computes for too long is counted', async () => {
  const { blocked } = await countTurns(async () => {
    await sleep(5);
    const { user } = process.threadCpuUsage();
    while (process.threadCpuUsage().user - user < 150_000);
    await sleep(5);
  });
  expect(blocked).toBeGreaterThan(0);
});

test('whatever recording somebody sends, no turn of the event loop is blocked by it', async () => {
  const files = await nastyAudio({ flacBlocks: 300, opusBytes: 300_000 });
  const [mallory, ada] = [await steno.person(), await steno.person()];
  const created = await steno.call('POST', '/notes/create', { key: ada.key, body: { content: 'mine' } });
  const path = `/notes/${created.body.data.id}`;
  // What runs for the first time is compiled first.
  await steno.upload(mallory.key, { file: Buffer.from(files['eight channels at 192 kHz']) });
  for (const [name, file] of Object.entries(files)) {
    const { turns, blocked, longestMs } = await countTurns(async () => {
      const upload = steno.upload(mallory.key, { file: Buffer.from(file) });
      expect((await steno.call('GET', path, { key: ada.key })).status).toBe(200);
      const { status, body } = await upload;
      expect([200, 400], `${name}: ${JSON.stringify(body).slice(0, 200)}`).toContain(status);
    });
    expect(blocked, `${name}: ${longestMs} ms in one of ${turns} turns`).toBe(0);
  }
}, 300_000);
