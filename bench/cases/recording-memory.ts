import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchOk } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { memoryOfTree } from '../lib/process-tree.ts';
import { type BenchServer, createDataDir, startServer } from '../lib/server.ts';

const goalMb = 50;
const short = 180;
const long = 3 * 3600;
const bytesPerSecond = 32_000;
const headBytes = 44;

/** A sentence, three seconds of silence, and so on; made as it is sent. */
function speech(seconds: number): ReadableStream<Uint8Array> {
  const file = readFileSync(join(import.meta.dirname, '../../test/fixtures/audio/jfk.wav'));
  const sentence = Buffer.concat([file.subarray(file.indexOf('data') + 8), Buffer.alloc(3 * bytesPerSecond)]);
  const length = seconds * bytesPerSecond;
  const head = Buffer.from(file.subarray(0, headBytes));
  head.writeUInt32LE(headBytes - 8 + length, 4);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(length, 40);
  async function* parts() {
    yield head;
    for (let at = 0; at < length; at += sentence.length) yield sentence.subarray(0, length - at);
  }
  return ReadableStream.from(parts());
}

/** Megabytes of all processes of the server at most, from the upload until the words are stored. */
async function peakOf(steno: BenchServer, seconds: number): Promise<number> {
  let peak = 0;
  let isOver = false;
  const watch = (async () => {
    while (!isOver) {
      peak = Math.max(peak, memoryOfTree(steno.pid, 'Pss_Anon'));
      await sleep(50);
    }
  })();
  const upload = {
    method: 'POST',
    headers: steno.headers,
    body: speech(seconds),
    duplex: 'half',
  } as RequestInit;
  const { data } = JSON.parse(await fetchOk(`${steno.url}/api/v1/recordings`, upload));
  for (let state = ''; state !== 'done'; await sleep(200)) {
    const recording = JSON.parse(await fetchOk(`${steno.url}/api/v1/recordings/${data.id}`, steno)).data;
    state = recording.state;
    if (state === 'failed') throw new Error(recording.error);
  }
  isOver = true;
  await watch;
  return peak / 1_048_576;
}

export const recordingMemory: Measure = {
  name: 'memory for a recording of 3 hours, above that for one of 3 minutes',
  goal: `<= ${goalMb} MB`,
  async run({ scale }) {
    const data = await createDataDir();
    const steno = await startServer(data);
    // The first one loads the code of the decoder.
    await peakOf(steno, short);
    const few = await peakOf(steno, short);
    const many = await peakOf(steno, Math.max(short, Math.round(long * scale)));
    await steno.stop();
    data.remove();
    return {
      value: many - few,
      met: many - few <= goalMb,
      detail: `${Math.round(few)} and ${Math.round(many)} MB, all processes of the server, without a speech model and without pages of files`,
    };
  },
};
