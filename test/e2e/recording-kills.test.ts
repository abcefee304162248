import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { newFolder, startServer } from '../support/process.ts';
import { seededRandom } from '../support/random.ts';
import { joinSamples, samplesOf, silence, wavOf } from '../support/sound.ts';

// STENO_TEST_KILLS=200 npx vitest run test/e2e/recording-kills.test.ts
const kills = Number(process.env.STENO_TEST_KILLS ?? 5);
const seed = Number(process.env.STENO_TEST_SEED ?? 20_261_115);
const dataDir = newFolder();
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** Says other words for every other sound, and only as many stretches as it may: so the kills spread over the recording. */
async function speechServer() {
  let answered = 0;
  let allowed = 0;
  const wake = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const form = await buffer(request);
    const start = form.indexOf('RIFF');
    const wav = form.subarray(start, start + 8 + form.readUInt32LE(start + 4));
    const words = createHash('sha256').update(wav).digest('hex').slice(0, 24).match(/.{6}/g) ?? [];
    while (answered >= allowed) await new Promise<void>((resolve) => wake.add(resolve));
    answered += 1;
    const told = words.map((word, at) => ({ word, start: at, end: at + 0.5 }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ text: words.join(' '), language: 'english', words: told }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    allow(stretches: number) {
      allowed = answered + stretches;
      for (const resolve of wake) resolve();
      wake.clear();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const decodersOf = (pid: number) =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('decoder-process') && line.includes(` ${pid} `))
    .map((line) => Number.parseInt(line, 10));

test(`a recording that is killed ${kills} times has every word once, and is charged once (seed ${seed})`, async () => {
  const sentence = joinSamples(samplesOf('jfk.wav'), silence(3));
  const file = wavOf(joinSamples(...Array.from({ length: 20 }, () => sentence)));
  const stretches = 20;
  const random = seededRandom(seed);
  const speech = await speechServer();
  const settings = { STENO_ENGINE: 'http', STENO_ENGINE_URL: speech.url };
  const start = () => startServer({ dataDir, settings });
  let server = await start();
  const authorization = `Bearer ${server.key}`;
  const call = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${server.address}/api/v1${path}`, { ...init, headers: { authorization } });
    expect(answer.status).toBeLessThan(300);
    return ((await answer.json()) as { data: Record<string, unknown> }).data;
  };
  const upload = async () =>
    String((await call('/recordings', { method: 'POST', body: new Uint8Array(file) })).id);
  async function segmentsOf(id: string) {
    for (;;) {
      const { state, error, transcription_id } = await call(`/recordings/${id}`);
      if (state === 'failed') throw new Error(String(error));
      if (state === 'done') return (await call(`/transcriptions/${transcription_id}`)).segments as object[];
      await sleep(50);
    }
  }

  const killed = await upload();
  for (let kill = 0; kill < kills; kill++) {
    speech.allow(Math.floor(((kill + 1) * stretches) / kills) - Math.floor((kill * stretches) / kills));
    await sleep(random.between(0, 400));
    if (random.between(0, 4) === 0) for (const pid of decodersOf(server.pid)) process.kill(pid, 'SIGKILL');
    else {
      await server.kill();
      server = await start();
    }
  }
  speech.allow(1_000_000);
  const found = await segmentsOf(killed);
  const whole = await segmentsOf(await upload());
  expect(found.length).toBeGreaterThan(8);
  expect(found).toEqual(whole);
  const { duration_ms } = await call(`/recordings/${killed}`);
  expect((await call('/usage')).recording_ms_used).toBe(2 * Number(duration_ms));
  await server.stop();
  speech.close();
}, 3_600_000);
