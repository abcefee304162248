import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newFolder, startServer } from '../support/process.ts';
import { seededRandom } from '../support/random.ts';
import { joinSamples, recording, samplesOf, silence, wavOf } from '../support/sound.ts';

// STENO_TEST_KILLS=200 npm run test:slow -- recording-kills
// With STENO_TEST_ENGINE=embedded the words are real, and its workers are killed too.
const kills = Number(process.env.STENO_TEST_KILLS ?? 4);
const seed = Number(process.env.STENO_TEST_SEED ?? 20_261_115);
const isEmbedded = process.env.STENO_TEST_ENGINE === 'embedded';

/** Says other words for every other sound, and only as many chunks as it may: so the kills spread over the recording. */
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
    allow(chunks: number) {
      allowed = answered + chunks;
      for (const resolve of wake) resolve();
      wake.clear();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

// A server takes seconds to start, so it is killed less often than what it starts itself.
const victims = ['server', 'decoder-process', isEmbedded ? 'pool/worker' : 'decoder-process'];

const childrenOf = (pid: number, script: string) =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(script) && line.includes(` ${pid} `))
    .map((line) => Number.parseInt(line, 10));

/** A server that is killed at random, with one recording of several minutes, and a speech server that outlives it. */
async function brittleServer() {
  const random = seededRandom(seed);
  const speech = await speechServer();
  const settings = isEmbedded
    ? { STENO_ENGINE: 'embedded' }
    : { STENO_ENGINE: 'http', STENO_ENGINE_URL: speech.url };
  const dataDir = newFolder();
  const start = () => startServer({ dataDir, settings });
  let server = await start();
  const authorization = `Bearer ${server.key}`;
  const killed: Record<string, number> = {};

  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization, ...(init.headers as Record<string, string>) };
    return fetch(`${server.address}/api/v1${path}`, { ...init, headers });
  }
  async function call(path: string, init: RequestInit = {}) {
    const answer = await send(path, init);
    expect(answer.status).toBeLessThan(300);
    return ((await answer.json()) as { data: Record<string, unknown> }).data;
  }

  return {
    random,
    speech,
    send,
    call,
    async killOne(): Promise<void> {
      const wanted = victims[random.between(0, victims.length - 1)] ?? 'server';
      const pids = childrenOf(server.pid, wanted);
      // Without such a process it is the server's turn.
      const victim = pids.length > 0 ? wanted : 'server';
      killed[victim] = (killed[victim] ?? 0) + 1;
      for (const pid of pids)
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It ended by itself meanwhile.
        }
      if (victim !== 'server') return;
      await server.kill();
      server = await start();
    },
    /** Waits until words of it are final. */
    async isHeard(id: string): Promise<void> {
      const events = await send(`/recordings/${id}/events`);
      let told = '';
      for await (const bytes of events.body ?? []) {
        told += Buffer.from(bytes).toString();
        if (told.includes('event: text')) return;
      }
      throw new Error('nothing was heard of it before it was complete');
    },
    async segmentsOf(id: string): Promise<object[]> {
      for (;;) {
        const { state, error, transcription_id } = await call(`/recordings/${id}`);
        if (state === 'failed') throw new Error(String(error));
        if (state === 'done') return (await call(`/transcriptions/${transcription_id}`)).segments as object[];
        // It may take minutes, and the plan allows 300 requests in one.
        await sleep(300);
      }
    },
    /** What was killed has the same words as what was not, and both were charged once. */
    async expectSame(killedId: string, found: object[], whole: object[]): Promise<void> {
      expect(found.length).toBeGreaterThan(8);
      expect(found).toEqual(whole);
      const { duration_ms } = await call(`/recordings/${killedId}`);
      expect((await call('/usage')).recording_ms_used).toBe(2 * Number(duration_ms));
      if (kills > 10) console.log({ seed, killed, segments: found.length, duration_ms });
    },
    async close(): Promise<void> {
      await server.stop();
      speech.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** How many chunks come between this kill and the next, so that the kills spread over the recording. */
const share = (kill: number, chunks: number) =>
  Math.floor(((kill + 1) * chunks) / kills) - Math.floor((kill * chunks) / kills);

test(`a recording that is killed ${kills} times has every word once, and is charged once (seed ${seed})`, async () => {
  const sentence = joinSamples(samplesOf('jfk.wav'), silence(3));
  const file = wavOf(joinSamples(...Array.from({ length: 20 }, () => sentence)));
  const steno = await brittleServer();
  const { random, speech, call } = steno;
  const upload = async () =>
    String((await call('/recordings', { method: 'POST', body: new Uint8Array(file) })).id);
  const killed = await upload();
  for (let kill = 0; kill < kills; kill++) {
    speech.allow(share(kill, 20));
    while (isEmbedded && Number((await call(`/recordings/${killed}`)).progress) < (kill / kills) * 0.9)
      await sleep(500);
    await sleep(random.between(0, 400));
    await steno.killOne();
  }
  speech.allow(1_000_000);
  const found = await steno.segmentsOf(killed);
  await steno.expectSame(killed, found, await steno.segmentsOf(await upload()));
  await steno.close();
}, 3_600_000);

test(`a live recording that is killed ${kills} times has every word once, and is charged once (seed ${seed})`, async () => {
  const file = Buffer.concat(Array.from({ length: 20 }, () => Buffer.from(recording('jfk.aac'))));
  const steno = await brittleServer();
  const { random, speech, send } = steno;
  const tus = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' };
  const create = async () => {
    const made = await send('/recordings/uploads', {
      method: 'POST',
      headers: { 'tus-resumable': '1.0.0', 'upload-defer-length': '1' },
    });
    return String(made.headers.get('location')).split('/').at(-1) ?? '';
  };
  async function offsetOf(id: string): Promise<number> {
    const answer = await send(`/recordings/uploads/${id}`, { method: 'HEAD', headers: tus });
    return Number(answer.headers.get('upload-offset'));
  }
  /** Goes on where the server says, up to this place. */
  async function append(id: string, until: number, headers: Record<string, string> = {}) {
    const offset = await offsetOf(id);
    return send(`/recordings/uploads/${id}`, {
      method: 'PATCH',
      body: new Uint8Array(file.subarray(offset, Math.max(offset, until))),
      headers: { ...tus, 'upload-offset': String(offset), ...headers },
    });
  }
  async function finish(id: string): Promise<object[]> {
    const ended = await append(id, file.length, { 'upload-length': String(file.length) });
    expect(ended.status).toBe(204);
    return steno.segmentsOf(id);
  }

  const killed = await create();
  for (let kill = 0; kill < kills; kill++) {
    speech.allow(share(kill, 12));
    const sent = append(killed, Math.round((file.length * (kill + 1)) / kills)).catch(() => {});
    await sleep(random.between(0, 400));
    await steno.killOne();
    await sent;
  }
  speech.allow(1_000_000);
  const found = await finish(killed);
  // Heard while it grows too, or its chunks would be others.
  const whole = await create();
  await append(whole, file.length / 2);
  await steno.isHeard(whole);
  await steno.expectSame(killed, found, await finish(whole));
  await steno.close();
}, 3_600_000);
