import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encodeForm } from '../support/form.ts';
import { newFolder, type ServerProcess, startServer } from '../support/process.ts';
import { recording } from '../support/sound.ts';

/** A speech server that answers when the test says so. */
function createHeldEngine() {
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume();
    held.push(response);
    server.emit('asked');
  });
  return {
    listen: () => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)),
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => once(server, 'asked'),
    answer() {
      for (const response of held.splice(0))
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ text: 'Hello there.' }));
    },
    close() {
      held.length = 0;
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('stopping while a recording is transcribed', () => {
  const engine = createHeldEngine();
  let dataDir: string;
  let server: ServerProcess;
  let key: string | undefined;
  const start = () =>
    startServer({ dataDir, settings: { STENO_ENGINE: 'http', STENO_ENGINE_URL: engine.url() } });
  beforeEach(async () => {
    await engine.listen();
    dataDir = newFolder();
    server = await start();
    key = server.key;
  });
  afterEach(async () => {
    await server.kill();
    engine.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function transcribe() {
    const { payload, headers } = encodeForm({ file: recording('newhome.wav') });
    const response = await fetch(`${server.address}/api/v1/transcribe`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${key}` },
      body: payload,
    });
    const { data } = JSON.parse(await response.text());
    return { status: response.status, data };
  }
  async function read(path: string) {
    const response = await fetch(`${server.address}/api/v1${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return JSON.parse(await response.text()).data;
  }

  test('waits for it: the words are answered, kept and counted', async () => {
    const asked = engine.asked();
    const answered = transcribe();
    await asked;
    const stopped = server.stop();
    engine.answer();
    expect(await answered).toMatchObject({ status: 200, data: { text: 'Hello there.' } });
    expect(await stopped).toMatchObject({ code: 0, stderr: '' });
    server = await start();
    const { data } = await answered;
    expect(await read('/transcriptions/list')).toMatchObject([{ id: data.id, text: 'Hello there.' }]);
    expect(await read('/usage')).toMatchObject({ audio_ms_used: data.duration_ms, words_used: 2 });
  });

  test('cuts one that takes too long: nothing is charged and the key is free at the next start', async () => {
    const asked = engine.asked();
    const answered = transcribe().catch(() => 'cut off');
    await asked;
    expect(await server.stop()).toMatchObject({ code: 0, stderr: '' });
    expect(await answered).toBe('cut off');
    server = await start();
    expect(await read('/usage')).toMatchObject({ audio_ms_used: 0, words_used: 0 });
    expect(await read('/transcriptions/list')).toEqual([]);
    const askedAgain = engine.asked();
    const again = transcribe();
    await askedAgain;
    engine.answer();
    expect(await again).toMatchObject({ status: 200 });
  });
});
