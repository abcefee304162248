import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Recording } from '../../src/domain/recording.ts';
import { startPostgres } from '../support/postgres.ts';
import { newFolder, startServer } from '../support/process.ts';
import { seededRandom } from '../support/random.ts';
import { recording } from '../support/sound.ts';

const kills = Number(process.env.STENO_TEST_KILLS ?? 6);
const seed = Number(process.env.STENO_TEST_SEED ?? 20_261_117);
const perKill = 5;

test(`kill -9 of PostgreSQL ${kills} times while recordings are transcribed: each ends once, and no server is restarted (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  const postgres = await startPostgres();
  // Two servers share the queue and the folder of audio.
  const dataDir = newFolder();
  const start = () => startServer({ dataDir, databaseUrl: postgres.url });
  const servers = [await start(), await start()];
  const authorization = `Bearer ${servers[0]?.key}`;
  let turn = 0;
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`${servers[turn++ % servers.length]?.address}/api/v1${path}`, {
      ...init,
      headers: { authorization, 'content-type': 'audio/wav' },
    });
  async function read(path: string) {
    const answer = await send(path);
    return answer.status === 200 ? ((await answer.json()) as { data: unknown }).data : undefined;
  }
  const states = async () => (await read('/recordings?limit=100')) as Recording[] | undefined;

  const sound = new Uint8Array(recording('jfk.wav'));
  const acknowledged = new Set<string>();
  for (let kill = 0; kill < kills; kill += 1) {
    const uploads = Array.from({ length: perKill }, async () => {
      const answer = await send('/recordings', { method: 'POST', body: sound });
      if (answer.status < 300) acknowledged.add(((await answer.json()) as { data: Recording }).data.id);
      else expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true]);
    });
    await sleep(random.between(0, 1_500));
    await postgres.crash('SIGKILL');
    await Promise.all(uploads);
    await postgres.start();
  }

  let found: Recording[] = [];
  // The keys of two minutes would be used up by asking more often.
  for (const until = Date.now() + 240_000; Date.now() < until; await sleep(1_000)) {
    found = (await states()) ?? found;
    if (found.length > 0 && found.every(({ state }) => state === 'done' || state === 'failed')) break;
  }
  expect(new Set(found.map(({ state }) => state))).toEqual(new Set(['done']));
  const ids = new Set(found.map(({ id }) => id));
  expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([]);
  const transcriptions = (await read('/transcriptions/list?limit=100')) as { id: string }[];
  expect(transcriptions.map(({ id }) => id).sort()).toEqual(
    found.map(({ transcription_id }) => transcription_id).sort(),
  );
  const usage = (await read('/usage')) as { recording_ms_used: number };
  expect(usage.recording_ms_used).toBe(found.reduce((sum, { duration_ms }) => sum + (duration_ms ?? 0), 0));
  if (kills > 6) console.log({ seed, kills, acknowledged: acknowledged.size, found: found.length });
  for (const server of servers) await server.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}, 1_200_000);
