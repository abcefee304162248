import { setTimeout as sleep } from 'node:timers/promises';
import { aiffOf } from '../../test/support/containers.ts';
import { longOpus, longRecordings, nastyAudio } from '../../test/support/nasty-audio.ts';
import { fetchOk } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { megabytes, mostMemory } from '../lib/most-memory.ts';
import { memoryOfTree } from '../lib/process-tree.ts';
import { addPerson, type BenchServer, createDataDir, startServer } from '../lib/server.ts';
import { watchAnswers } from '../lib/slowest-answers.ts';

const goals = { healthMs: 100, noteMs: 250, growthBytes: 150_000_000 };

/** No request stops the others: one person sends every nasty request there is, another reads a note, a third looks at /healthz. */
export const rule: Measure = {
  name: 'slowest GET /healthz, in ms, while somebody sends every nasty request',
  goal: '<= 100, another person’s GET /notes/{id} <= 250 ms, memory of all processes + < 150 MB for an upload',
  async run({ scale }) {
    const data = await createDataDir();
    const [mallory, friend] = [await addPerson(data), await addPerson(data)];
    const steno = await startServer(data);
    const note = await fetchOk(`${steno.url}/api/v1/notes/create`, {
      method: 'POST',
      headers: steno.headers,
      body: JSON.stringify({ content: 'mine' }),
    });
    const noteUrl = `${steno.url}/api/v1/notes/${JSON.parse(note).data.id}`;
    await sleep(2_000);
    const idle = memoryOfTree(steno.pid);
    const answers = watchAnswers([
      { url: `${steno.url}/healthz`, headers: {} },
      { url: noteUrl, headers: steno.headers },
    ]);
    const seen: { name: string; healthMs: number; noteMs: number; added: number }[] = [];
    const uploads = await nastyUploads(steno, [mallory.key, friend.key], scale);
    for (const [name, send, count = 1] of [...uploads, ...nastyRequests(steno, mallory.key)]) {
      // The answer of the one before is there; its processes end a moment later.
      await sleep(1_000);
      await answers.slowest();
      const { before, most } = await mostMemory(steno.pid, send);
      const [healthMs = 0, noteMs = 0] = await answers.slowest();
      seen.push({ name, healthMs, noteMs, added: (most - before) / count });
      console.error(
        `${name}: /healthz ${healthMs.toFixed(0)} ms, note ${noteMs.toFixed(0)} ms, memory + ${megabytes(most - before)}, ` +
          `${megabytes(most - idle)} more than at the start`,
      );
    }
    await answers.end();
    await steno.stop();
    data.remove();
    const worst = (field: 'healthMs' | 'noteMs' | 'added', among = seen) =>
      among.reduce((one, other) => (other[field] > one[field] ? other : one));
    const [health, read] = [worst('healthMs'), worst('noteMs')];
    // The uploads come first: what notes and searches add is not theirs.
    const memory = worst('added', seen.slice(0, uploads.length));
    return {
      value: Math.round(health.healthMs),
      met:
        health.healthMs <= goals.healthMs && read.noteMs <= goals.noteMs && memory.added < goals.growthBytes,
      detail:
        `${seen.length} kinds of requests; ${health.name}. Note ${Math.round(read.noteMs)} ms (${read.name}); ` +
        `memory + ${megabytes(memory.added)} (${memory.name})`,
    };
  },
};

/** Two uploads at once may take twice as much. */
type NamedRequest = [name: string, send: () => Promise<unknown>, uploads?: number];

async function nastyUploads(
  { url }: BenchServer,
  [key, other]: [string, string],
  scale: number,
): Promise<NamedRequest[]> {
  const mostBytes = Math.round(4_000_000 * scale);
  const files = {
    ...(await nastyAudio({ flacBlocks: Math.ceil(7_700 * scale), opusBytes: mostBytes })),
    ...(await longRecordings(mostBytes)),
  };
  function upload(file: Uint8Array, by: string, path = '/api/v1/transcribe'): Promise<string> {
    const form = new FormData();
    form.append('file', new Blob([Buffer.from(file)]));
    form.append('model', 'any');
    const request = { method: 'POST', headers: { authorization: `Bearer ${by}` }, body: form };
    return fetch(url + path, request).then((answer) => answer.text());
  }
  const twice = (file: Uint8Array) => Promise.all([key, other].map((by) => upload(file, by)));
  const byOpenAi = (file: Uint8Array) => upload(file, key, '/v1/audio/transcriptions');
  const largeOpus = await longOpus(26_000_000 * scale);
  const largeAiff = aiffOf(new Float32Array(13_000_000 * scale).fill(0.1), { bits: 16 });
  return [
    ...Object.entries(files).map(([name, file]): NamedRequest => [name, () => upload(file, key)]),
    ['long Opus, two at once', () => twice(files['long Opus']), 2],
    [
      'a small FLAC of hours of silence, two at once',
      () => twice(files['a small FLAC of hours of silence']),
      2,
    ],
    ['25 MB of Opus', () => byOpenAi(largeOpus)],
    ['25 MB of AIFF', () => byOpenAi(largeAiff)],
  ];
}

function nastyRequests({ url }: BenchServer, key: string): NamedRequest[] {
  const post = (path: string, body: string) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    }).then((answer) => answer.text());
  const ten = Array.from({ length: 10 }, (_, i) => i);
  return [
    [
      'ten notes of a megabyte',
      async () => {
        for (const _ of ten)
          await post('/api/v1/notes/create', JSON.stringify({ content: 'ab '.repeat(340_000) }));
      },
    ],
    [
      'a phrase of 160 words',
      () => post('/api/v1/notes/search', JSON.stringify({ query: `"${'ab '.repeat(160)}"` })),
    ],
    [
      'a note of 349,000 ligatures',
      () => post('/api/v1/notes/create', JSON.stringify({ content: '\uFDFA'.repeat(349_000) })),
    ],
    [
      'a megabyte of nested arrays, four at once',
      () =>
        Promise.all(
          ten.slice(0, 4).map(() => post('/api/v1/notes/create', '['.repeat(500_000) + ']'.repeat(500_000))),
        ),
    ],
    [
      '100,000 brackets for a sign-in',
      () => post('/api/auth/sign-in/email-otp', '['.repeat(100_000) + ']'.repeat(100_000)),
    ],
  ];
}
