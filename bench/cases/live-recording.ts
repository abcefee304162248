import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchOk } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { type BenchServer, createDataDir, startServer } from '../lib/server.ts';

const goals = { finalMs: 5_000, tailMs: 2_000 };
const rounds = 5;
const pauseSeconds = 4;
/** A browser that records sends a piece this often. */
export const pieceMs = 500;
export const frameSeconds = 1_024 / 44_100;

/** The frames of an AAC of 44.1 kHz; each begins with its length. */
function framesOf(file: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at + 7 < file.length; ) {
    const length = (file.readUIntBE(at + 3, 3) >> 5) & 0x1fff;
    frames.push(file.subarray(at, at + length));
    at += length;
  }
  return frames;
}

/** Eleven seconds. */
export const speechFrames = () =>
  framesOf(readFileSync(join(import.meta.dirname, '../../test/fixtures/audio/jfk.aac')));

/** Eleven seconds of speech and a pause, again and again. */
function conversation(rounds: number): Buffer[] {
  const speech = speechFrames();
  // An encoder begins with a frame of silence.
  const pause = Array.from({ length: Math.round(pauseSeconds / frameSeconds) }, () =>
    speech.slice(0, 1),
  ).flat();
  return Array.from({ length: rounds }, () => [...speech, ...pause]).flat();
}

type Caller = Pick<BenchServer, 'url' | 'headers'>;

interface Told {
  atMs: number;
  name: string;
  data: { start_ms: number; end_ms?: number; text: string };
}

/** Every event of the recording, with the time at which it came. */
export async function follow(steno: Caller, id: string, tell: (told: Told) => void): Promise<void> {
  const answer = await fetch(`${steno.url}/api/v1/recordings/${id}/events`, { headers: steno.headers });
  let rest = '';
  for await (const bytes of answer.body ?? []) {
    const events = (rest + Buffer.from(bytes).toString()).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const [, name, data] = /event: (\w+)\ndata: (.*)/.exec(event) ?? [];
      if (name === 'tail' || name === 'text')
        tell({ atMs: performance.now(), name, data: JSON.parse(data ?? '') });
    }
  }
}

/** An upload that the server transcribes while it comes. */
export async function startLiveUpload(steno: Caller) {
  const url = `${steno.url}/api/v1/recordings/uploads`;
  const headers = { ...steno.headers, 'tus-resumable': '1.0.0' };
  const made = await fetch(url, { method: 'POST', headers: { ...headers, 'upload-defer-length': '1' } });
  const id = made.headers.get('location')?.split('/').at(-1) ?? '';
  let offset = 0;
  return {
    id,
    async send(body: Uint8Array<ArrayBuffer>, { isLast = false } = {}): Promise<void> {
      const at = { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' };
      offset += body.length;
      const end = isLast ? { 'upload-length': String(offset) } : {};
      await fetchOk(`${url}/${id}`, { method: 'PATCH', headers: { ...headers, ...at, ...end }, body });
    },
  };
}

/** Sends the frames as they would be spoken. Returns when the first of them began, and the words with their times. */
async function speak(steno: BenchServer, told: Told[], times = rounds) {
  const frames = conversation(times);
  const { id, send } = await startLiveUpload(steno);
  const following = follow(steno, id, (one) => told.push(one));
  const beganMs = performance.now();
  let sent = 0;
  for (let piece = 1; sent < frames.length; piece++) {
    await sleep(Math.max(0, beganMs + piece * pieceMs - performance.now()));
    const upTo = Math.min(frames.length, Math.floor((performance.now() - beganMs) / 1000 / frameSeconds));
    await send(Buffer.concat(frames.slice(sent, upTo)));
    sent = upTo;
  }
  await send(Buffer.alloc(0), { isLast: true });
  await following;
  const get = async (path: string) => JSON.parse(await fetchOk(`${steno.url}/api/v1${path}`, steno)).data;
  const { transcription_id } = await get(`/recordings/${id}`);
  const { segments } = await get(`/transcriptions/${transcription_id}`);
  const words: { start: number; end: number }[] = segments.flatMap(({ words = [] }) => words);
  return { beganMs, words };
}

const share = (delays: number[], part: number) =>
  Math.round(delays.sort((a, b) => a - b)[Math.floor((delays.length - 1) * part)] ?? Number.NaN);
const shown = (delays: number[]) => `p50 ${share(delays, 0.5)} ms, p95 ${share(delays, 0.95)} ms`;

export const liveRecording: Measure = {
  name: 'words of a live recording: final after the speaker pauses, and before that as a tail',
  goal: `p95 <= ${goals.finalMs} and ${goals.tailMs} ms`,
  async run() {
    const data = await createDataDir();
    const steno = await startServer(data, { engine: 'embedded' });
    // The first one waits for the model.
    await speak(steno, [], 1);
    const told: Told[] = [];
    const { beganMs, words } = await speak(steno, told);
    await steno.stop();
    data.remove();
    const spokenMs = ({ end }: { end: number }) => beganMs + end * 1000;
    const finals: number[] = [];
    const seenAt = new Map<object, number>();
    for (const { atMs, name, data: piece } of told) {
      const own = words.filter(
        ({ start }) => start * 1000 >= piece.start_ms - 100 && start * 1000 < (piece.end_ms ?? Infinity),
      );
      const last = own.at(-1);
      if (name === 'text' && last) finals.push(atMs - spokenMs(last));
      const count = name === 'text' ? own.length : piece.text.split(' ').length;
      for (const word of own.slice(0, count)) if (!seenAt.has(word)) seenAt.set(word, atMs);
    }
    const tails = words.flatMap((word) => {
      const atMs = seenAt.get(word);
      return atMs === undefined ? [] : [atMs - spokenMs(word)];
    });
    const [final, tail] = [share(finals, 0.95), share(tails, 0.95)];
    return {
      value: final,
      met: final <= goals.finalMs && tail <= goals.tailMs,
      detail: `${finals.length} chunks final: ${shown(finals)}; ${tails.length} words seen first: ${shown(tails)}; pieces of ${pieceMs} ms`,
    };
  },
};
