import { execFileSync } from 'node:child_process';
import { afterAll, describe, expect, test } from 'vitest';
import { pcmRate } from '../../src/domain/audio.ts';
import { createAudioDecoder } from '../../src/engines/audio/decoder.ts';
import type { Chunk } from '../../src/engines/ports/audio.ts';
import { flacBomb } from '../support/flac-bomb.ts';
import { joinSamples, recordingOf, samplesOf, silence, wavOf } from '../support/sound.ts';

const decoder = createAudioDecoder();
afterAll(() => decoder.close());

const sentence = joinSamples(samplesOf('jfk.wav'), silence(3));
const pcm = joinSamples(...Array.from({ length: 8 }, () => sentence));
const file = wavOf(pcm);

const placeOf = ({ start, pcm: samples }: Chunk) => [start, samples.length];

async function placesIn(chunks: AsyncIterable<Chunk>): Promise<number[][]> {
  const places: number[][] = [];
  for await (const chunk of chunks) places.push(placeOf(chunk));
  return places;
}

const decoderProcesses = () =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('decoder-process') && line.includes(` ${process.pid} `))
    .map((line) => Number.parseInt(line, 10));

describe('a recording with more chunks than are kept', () => {
  test('is measured, and then read chunk by chunk, as often as wanted', async () => {
    const recording = await decoder.open(file);
    expect(recording.durationMs).toBe((pcm.length / pcmRate) * 1000);
    const wanted = await placesIn(recordingOf(pcm).chunks());
    expect(wanted.length).toBeGreaterThan(2);
    expect(await placesIn(recording.chunks())).toEqual(wanted);
    expect(await placesIn(recording.chunks())).toEqual(wanted);
  });

  test('is read beside others by one process, and none waits for another', async () => {
    const recordings = await Promise.all(
      ['ada', 'bob', 'eve'].map((userId) => decoder.open(file, { userId })),
    );
    const [first, ...others] = recordings.map((recording) => recording.chunks()[Symbol.asyncIterator]());
    await first?.next();
    const wanted = await placesIn(recordingOf(pcm).chunks());
    for (const other of others) {
      for (const place of wanted) expect(placeOf((await other.next()).value)).toEqual(place);
      await other.return?.();
    }
    expect(placeOf((await first?.next())?.value)).toEqual(wanted[1]);
    await first?.return?.();
  });

  test('goes on where it was when its process dies', async () => {
    const recording = await decoder.open(file);
    const wanted = await placesIn(recordingOf(pcm).chunks());
    const read: number[][] = [];
    for await (const chunk of recording.chunks()) {
      read.push(placeOf(chunk));
      if (read.length === 2) for (const pid of decoderProcesses()) process.kill(pid, 'SIGKILL');
    }
    expect(read).toEqual(wanted);
  });

  test('is given up at once when the client leaves', async () => {
    const gone = new AbortController();
    const recording = await decoder.open(file, { signal: gone.signal });
    const chunks = recording.chunks()[Symbol.asyncIterator]();
    await chunks.next();
    gone.abort(new Error('client left'));
    await expect(chunks.next()).rejects.toThrow('client left');
    expect((await decoder.open(file)).durationMs).toBeGreaterThan(0);
  });
});

describe('a recording longer than its limit', () => {
  test('is not decoded to its end: the duration is what was decoded until then', async () => {
    const { durationMs } = await decoder.open(file, { limitMs: 20_000 });
    expect(durationMs).toBeGreaterThan(20_000);
    expect(durationMs).toBeLessThan(30_000);
  });

  test('is told so after the first group of packets, however much 20 kB unpack to', async () => {
    const { durationMs } = await decoder.open(flacBomb(1_500), { limitMs: 1_000 });
    expect(durationMs).toBeGreaterThan(1_000);
    expect(durationMs).toBeLessThan(60_000);
  });

  test('one that fits its limit to the millisecond is decoded whole', async () => {
    const { durationMs } = await decoder.open(file, { limitMs: (pcm.length / pcmRate) * 1000 });
    expect(durationMs).toBe((pcm.length / pcmRate) * 1000);
  });
});
