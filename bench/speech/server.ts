import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { createAudioDecoder } from '../../src/engines/audio/decoder.ts';
import { createEmbeddedTranscriber } from '../../src/engines/speech/pool/embedded.ts';
import { transcribeRecording } from '../../src/features/transcribe/transcribe-recording.ts';
import { teamActs } from '../../test/support/teams.ts';
import { fetchOk, latencies, median, percentile } from '../lib/load.ts';
import { memoryOfTree } from '../lib/process-tree.ts';
import { createDataDir, startServer } from '../lib/server.ts';

/** What the server adds to the engine, and what the engine takes from the server. Prints three rows of the README's table. */
const fixture = new URL('../../test/fixtures/audio/jfk.ogg', import.meta.url).pathname;
const { values } = parseArgs({
  options: { file: { type: 'string', default: fixture }, rounds: { type: 'string', default: '15' } },
});
const recording = readFileSync(values.file);
const rounds = Number(values.rounds);
const samplesPerState = 1_500;

const data = await createDataDir();
const row = (measure: string, figure: string, goal: string) =>
  console.log(`| ${measure} | ${figure} | ${goal} |`);

const steno = await startServer(data, { engine: 'embedded' });
const upload = async (authorization: string) => {
  const form = new FormData();
  form.append('file', new Blob([recording]), basename(values.file));
  return fetchOk(`${steno.url}/api/v1/transcribe`, {
    method: 'POST',
    headers: { authorization },
    body: form,
  });
};
const ours = steno.headers.authorization ?? '';
await whenReady();

await compareWithDirect();
await readWhileTranscribing();
await steno.stop();
data.remove();

async function whenReady(): Promise<void> {
  while (JSON.parse(await fetchOk(`${steno.url}/readyz`)).speech !== 'ready') await sleep(200);
}

async function compareWithDirect(): Promise<void> {
  const decoder = createAudioDecoder();
  const transcriber = createEmbeddedTranscriber({});
  const direct = async () => {
    await transcribeRecording(transcriber, { recording: await decoder.open(recording), userId: 'bench' });
  };
  await direct();
  await upload(ours);
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) {
    // Each goes first as often as the other: what runs second finds the machine warmer.
    const called = round % 2 === 0 ? undefined : await seconds(direct);
    const posted = await seconds(() => upload(ours));
    pairs.push([posted, called ?? (await seconds(direct))]);
  }
  await Promise.all([transcriber.close(), decoder.close()]);
  const ratio = median(pairs.map(([posted, called]) => posted / called));
  const [posted, called] = [median(pairs.map(([first]) => first)), median(pairs.map(([, second]) => second))];
  row(
    `POST /transcribe against decoder and engine called directly, ${basename(values.file)}`,
    `**${ratio.toFixed(2)}** (${posted.toFixed(2)} s, ${called.toFixed(2)} s)`,
    '≤ 1.05',
  );
}

/** Two people transcribe without pause while a third reads a note. */
async function readWhileTranscribing(): Promise<void> {
  const created = await fetchOk(`${steno.url}/api/v1/notes/create`, {
    method: 'POST',
    headers: steno.headers,
    body: JSON.stringify({ content: 'word '.repeat(100) }),
  });
  const url = `${steno.url}/api/v1/notes/${JSON.parse(created).data.id}`;
  const p99 = async () =>
    percentile(
      await latencies(samplesPerState, async () => {
        await fetchOk(url, { headers: steno.headers });
        await sleep(2);
      }),
      0.99,
    );
  await p99();
  const idle = await p99();
  let busy = true;
  const keys = await Promise.all([anotherKey(), anotherKey()]);
  const work = keys.map(async (authorization) => {
    while (busy) await upload(authorization);
  });
  const loaded = await p99();
  let mostBytes = 0;
  // After the latencies, which it would disturb.
  for (let look = 0; look < 40; look++) {
    mostBytes = Math.max(mostBytes, memoryOfTree(steno.pid));
    await sleep(250);
  }
  busy = false;
  await Promise.all(work);
  row(
    'p99 of GET /notes/{id} while two transcriptions run, against idle',
    `**${(loaded / idle).toFixed(2)}** (${loaded.toFixed(1)} ms, ${idle.toFixed(1)} ms)`,
    '≤ 3',
  );
  row(
    'most memory of the server, its workers and decoders meanwhile',
    `${Math.round(mostBytes / 1e6)} MB`,
    '≤ 1,000 MB',
  );
}

/** A key transcribes one recording at a time. */
async function anotherKey(): Promise<string> {
  const { composeServices } = await import('../../src/services.ts');
  const { readConfig } = await import('../../src/config.ts');
  const services = await composeServices(readConfig({ STENO_DATA_DIR: data.dataDir }));
  const { key } = await teamActs(services).keys.issue(operator, personalKeysOf(data.userId), {
    name: 'bench',
    scopes: ['transcriptions:write'],
  });
  await services.close();
  return `Bearer ${key}`;
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
