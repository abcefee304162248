import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { capturedLog } from '../support/log.ts';
import { uploadTo } from '../support/recordings.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

let steno: TestSteno;
const { log, lines } = capturedLog();
beforeAll(async () => {
  const { decoder } = createFakeSpeech();
  const engine = { engine: 'embedded', model: '/nowhere/ggml-large.bin', workers: 2 } as const;
  const config = { engine: { ...noEngine, ...engine } };
  steno = await startSteno({ config, speech: { decoder }, log });
  const isTold = async () => (await steno.app.inject('/readyz')).json().speech === 'failed';
  await vi.waitUntil(isTold, 30_000);
});
afterAll(() => steno.close());

const noEngine = { url: '', key: '', serverModel: '', modelsFolder: '', cacheFolder: '' };

test('/readyz says that speech failed and why, without the folders of the machine', async () => {
  const ready = await steno.app.inject('/readyz');
  expect(ready.statusCode).toBe(200);
  expect(ready.json()).toEqual({
    status: 'degraded',
    database: 'ok',
    speech: 'failed',
    audio: 'ok',
    search: 'ok',
    // What another test here left waiting.
    recordings: { in_queue: expect.any(Number), oldest_seconds: expect.any(Number) },
    reason: 'The model ggml-large.bin cannot be opened.',
  });
});

test('the log names the cause once, however many workers fail', () => {
  const told = lines().filter(({ msg }) => msg === 'Speech recognition is out of order');
  expect(told).toMatchObject([{ level: 50, problem: 'The model /nowhere/ggml-large.bin cannot be opened.' }]);
});

test('a caller is told at once that speech is out of order, not that it is starting', async () => {
  const { key } = await steno.person();
  const { status, body, headers } = await steno.upload(key, { file: recording() });
  expect([status, body.error.code]).toEqual([503, 'service_unavailable']);
  expect(body.error.message).toContain('out of order on this server');
  expect(body.error.message).not.toContain('nowhere');
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
});

test('a recording waits in its queue and does not fail', async () => {
  const { key } = await steno.person();
  const { body } = await uploadTo(steno, key, recording());
  const waited = () => lines().some((line) => line.recording === body.data.id);
  const shown = async () => (await steno.call('GET', `/recordings/${body.data.id}`, { key })).body.data;
  // The log tells it before the queue has it back.
  await expect.poll(async () => [waited(), (await shown()).state]).toEqual([true, 'queued']);
  expect((await shown()).error).toBeNull();
});
