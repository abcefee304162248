import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './client.ts';
import type { Fault } from './fault.ts';
import { type Scene, withServer } from './scene.ts';

const writers = 6;

/** Rounds of writing and `kill -9`, on the given database. */
export const serverKilled = (name: string, databaseUrl: () => string): Fault => ({
  fault: `kill -9 of the server, ${name}`,
  promise: 'every acknowledged write is there after the restart',
  async run({ random, rounds }) {
    return withServer({ databaseUrl: databaseUrl() }, async (scene) => {
      const { client } = scene;
      const starts: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        let isDead = false;
        const before = client.acknowledged.size;
        const working = Array.from({ length: writers }, async () => {
          while (!isDead) await client.write(scene.server.address);
        });
        await sleep(random.between(100, 800));
        // A slow machine may not have answered anybody yet.
        await until(async () => client.acknowledged.size > before);
        await scene.server.kill();
        isDead = true;
        await Promise.all(working);
        await scene.restart();
        starts.push(scene.server.startedInMs);
      }
      const lost = await client.lost(scene.server.address);
      const kept = client.acknowledged.size;
      return {
        held: lost === 0 && kept > 0,
        figure: `${kept} writes acknowledged in ${rounds} rounds, ${lost} lost; back in ${Math.round(Math.max(...starts))} ms at most`,
      };
    });
  },
});

export const killedWhileTranscribing: Fault = {
  fault: 'kill -9 of the server while it transcribes',
  promise: 'the key is free at once after the restart; what is charged is what was transcribed',
  run: ({ rounds, random }) =>
    withServer({}, async (scene) => {
      const { client } = scene;
      let [slowest, refused] = [0, 0];
      for (let round = 0; round < rounds; round += 1) {
        const cutOff = client.transcribe(scene.server.address);
        await sleep(random.between(5, 60));
        await scene.server.kill();
        await cutOff;
        await scene.restart();
        const works = async () => {
          const { status } = await client.transcribe(scene.server.address);
          if (status === 409) refused += 1;
          return status === 200;
        };
        slowest = Math.max(slowest, await until(works));
      }
      const read = async (path: string) => (await client.call(scene.server.address, 'GET', path)).data;
      const [usage, list] = [await read('/usage'), await read('/transcriptions/list?limit=100')];
      const lengths: number[] = list.map((one: { audio_duration_ms: number }) => one.audio_duration_ms);
      const transcribed = lengths.reduce((sum, ms) => sum + ms, 0);
      return {
        held: refused === 0 && usage.audio_ms_used === transcribed && lengths.length >= rounds,
        figure: `${rounds} rounds, ${refused} refused; next transcription within ${slowest} ms; ${usage.audio_ms_used} ms charged, ${transcribed} ms transcribed`,
      };
    }),
};

/** Processes of the server whose command names this file. */
function childrenOf(pid: number, script: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      try {
        const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${child}/status`, 'latin1'))?.[1];
        return Number(parent) === pid && readFileSync(`/proc/${child}/cmdline`, 'latin1').includes(script);
      } catch {
        return false;
      }
    });
}

/** Kills processes of the server while recordings are on their way, and looks at what each client was told. */
const workersKilled = (fault: string, script: string, engine: string): Fault => ({
  fault,
  promise: 'one request fails at most, with an honest answer; the next recording is transcribed',
  needs: 'linux',
  run: ({ rounds, random }) =>
    withServer({ settings: { STENO_ENGINE: engine, STENO_WORKERS: '1' } }, async (scene: Scene) => {
      const { client, server } = scene;
      await until(async () => (await client.transcribe(server.address)).status === 200, 120_000);
      let [killed, failed, silent, slowest] = [0, 0, 0, 0];
      for (let round = 0; round < rounds; round += 1) {
        const asked = client.transcribe(server.address);
        await sleep(random.between(0, 150));
        for (const pid of childrenOf(server.pid, script)) {
          process.kill(pid, 'SIGKILL');
          killed += 1;
        }
        const { status, code } = await asked;
        if (status !== 200) failed += 1;
        if (status !== 200 && code === undefined) silent += 1;
        const again = async () => (await client.transcribe(server.address)).status === 200;
        slowest = Math.max(slowest, await until(again, 60_000));
      }
      return {
        held: silent === 0 && killed >= rounds && failed <= rounds,
        figure: `${killed} killed, ${failed} requests failed, ${silent} without an answer; next transcription within ${slowest} ms`,
      };
    }),
});

export const decoderKilled = workersKilled('kill -9 of the decoder', 'decoder-process.', 'fake');
export const recogniserKilled = workersKilled('kill -9 of the recogniser', 'pool/worker.', 'embedded');
