import { execFileSync } from 'node:child_process';
import { afterAll, describe, expect, test } from 'vitest';
import { BadAudio, NotAudio, TranscriberUnavailable } from '../../src/domain/speech-errors.ts';
import { createAudioDecoder } from '../../src/engines/audio/decoder.ts';
import type { AudioFile, Chunk } from '../../src/engines/ports/audio.ts';
import { joinSamples, recording, recordingOf, samplesOf, silence, wavOf } from '../support/sound.ts';

const decoder = createAudioDecoder();
afterAll(() => decoder.close());

const fileOf = (bytes: Uint8Array): AudioFile => ({
  size: bytes.length,
  read: async (start, end) => bytes.subarray(start, end),
});

async function placesIn(chunks: AsyncIterable<Chunk>): Promise<number[][]> {
  const places: number[][] = [];
  for await (const { start, pcm } of chunks) places.push([start, pcm.length, pcm[1_000] ?? 0]);
  return places;
}

const sentence = joinSamples(samplesOf('jfk.wav'), silence(3));
const long = joinSamples(...Array.from({ length: 8 }, () => sentence));
const longFile = fileOf(wavOf(long));

const decoderProcesses = () =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('decoder-process') && line.includes(` ${process.pid} `))
    .map((line) => Number.parseInt(line, 10));

describe('listening to a file that stays where it is', () => {
  test.each([
    'jfk.wav',
    'jfk.mp3',
    'jfk.m4a',
    'jfk.flac',
    'jfk_live.webm',
    'libri_adpcm_ima.wav',
    'libri_alac.m4a',
  ])('gives the same chunks and length of %s as opening it', async (name) => {
    const file = recording(name);
    const opened = await decoder.open(file);
    const listening = await decoder.stream(fileOf(file));
    expect(await placesIn(listening.chunks())).toEqual(await placesIn(opened.chunks()));
    expect(listening.durationMs()).toBe(opened.durationMs);
  });

  test('leaves out what was heard before, and goes on when its process is killed', async () => {
    const wanted = await placesIn(recordingOf(long).chunks());
    expect(wanted.length).toBeGreaterThan(3);
    const known = new Set(decoderProcesses());
    const listening = await decoder.stream(longFile, { skip: 1 });
    const found: number[][] = [];
    for await (const { start, pcm } of listening.chunks()) {
      found.push([start, pcm.length, pcm[1_000] ?? 0]);
      for (const pid of decoderProcesses()) if (!known.has(pid)) process.kill(pid, 'SIGKILL');
    }
    expect(found.map(([start, length]) => [start, length])).toEqual(
      wanted.slice(1).map(([start, length]) => [start, length]),
    );
    expect(listening.durationMs()).toBe((long.length / 16_000) * 1000);
  });

  test('does not blame the file when somebody kills its process again and again', async () => {
    const known = new Set(decoderProcesses());
    const read = async (start: number, end: number) => {
      for (const pid of decoderProcesses()) if (!known.has(pid)) process.kill(pid, 'SIGKILL');
      return longFile.read(start, end);
    };
    await expect(decoder.stream({ ...longFile, read })).rejects.toThrow(TranscriberUnavailable);
  });

  test('reads a file part by part, never more than a block at once', async () => {
    let most = 0;
    const file = {
      ...longFile,
      read: (start: number, end: number) => {
        most = Math.max(most, end - start);
        return longFile.read(start, end);
      },
    };
    await placesIn((await decoder.stream(file)).chunks());
    expect(most).toBe(262_144);
  });

  test('refuses what is no audio, what is too long, and passes on what reading raises', async () => {
    await expect(decoder.stream(fileOf(Buffer.from('hello')))).rejects.toThrow(NotAudio);
    await expect(decoder.stream(longFile, { maxSeconds: 10 })).rejects.toThrow(BadAudio);
    const broken = { ...longFile, read: () => Promise.reject(new Error('the store is away')) };
    await expect(decoder.stream(broken)).rejects.toThrow('the store is away');
    expect(await decoder.identify(longFile)).toEqual({ container: 'wav', isStreamable: false });
    expect(await decoder.identify(fileOf(Buffer.from('hello')))).toBe(null);
  });

  test('ends with its signal', async () => {
    const stop = new AbortController();
    const listening = await decoder.stream(longFile, { signal: stop.signal });
    const chunks = listening.chunks()[Symbol.asyncIterator]();
    await chunks.next();
    stop.abort(new Error('enough'));
    await expect(chunks.next()).rejects.toThrow('enough');
  });
});
