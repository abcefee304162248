import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { BadAudio, NotAudio } from '../../src/domain/speech-errors.ts';
import { createAudioDecoder } from '../../src/engines/audio/decoder.ts';
import { sniffAudio } from '../../src/engines/audio/sniff.ts';
import { flacBomb } from '../support/flac-bomb.ts';
import { decodedSamples, recording, silence, wavOf } from '../support/sound.ts';

const decoder = createAudioDecoder();
afterAll(() => decoder.close());

const trueMs = 11_000;
const files = [
  ['jfk.wav', 'wav'],
  ['jfk_mulaw.wav', 'wav'],
  ['jfk.mp3', 'mp3'],
  ['jfk.m4a', 'mp4'],
  ['jfk_video.mp4', 'mp4'],
  ['jfk.ogg', 'ogg'],
  ['jfk_vorbis.ogg', 'ogg'],
  ['jfk.flac', 'flac'],
  ['jfk.webm', 'webm'],
  ['jfk_live.webm', 'webm'],
  ['jfk.aac', 'aac'],
] as const;

describe('a recording in any of the formats', () => {
  test.for(files)(
    '%s is decoded to 16 kHz, its duration within 1 %% of the truth',
    async ([name, format]) => {
      const { durationMs } = await decoder.open(recording(name));
      const pcm = await decodedSamples(recording(name));
      expect(sniffAudio(recording(name))).toBe(format);
      expect(Math.abs(durationMs - trueMs)).toBeLessThan(trueMs * 0.01);
      expect(Math.abs(pcm.length / 16 - trueMs)).toBeLessThan(trueMs * 0.01);
      expect(loudness(pcm)).toBeGreaterThan(0.02);
    },
  );

  test('all of them hold the same speech at the same place', async () => {
    const truth = envelope(await decodedSamples(recording('jfk.wav')));
    for (const [name] of files) {
      const heard = envelope(await decodedSamples(recording(name)));
      expect(correlation(truth, heard), name).toBeGreaterThan(0.95);
    }
  });
});

describe('what is no recording', () => {
  test.for([
    ['nothing', new Uint8Array()],
    ['a text', Buffer.from('Dear diary, this is not a recording at all.')],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['a page', Buffer.from('<!doctype html><title>audio.mp3</title>')],
    ['zeros', new Uint8Array(10_000)],
  ] as const)('%s is refused as not audio, with the formats we take', async ([, bytes]) => {
    await expect(decoder.open(bytes)).rejects.toThrow(NotAudio);
    await expect(decoder.open(bytes)).rejects.toThrow(/WAV, MP3, M4A/);
  });

  test.for(['RIFF\x24\0\0\0WAVE', 'fLaC\0\0\0\x22', 'OggS\0\x02', '\x1aE\xdf\xa3\x42', '\0\0\0\x20ftypM4A '])(
    'a bare header %j is refused as damaged',
    async (header) => {
      await expect(decoder.open(Buffer.from(header, 'latin1'))).rejects.toThrow(/is damaged/);
    },
  );
});

describe('on a system without a native decoder', () => {
  async function decodeAll(reason: string, names: readonly string[]): Promise<unknown[]> {
    const script = new URL('../support/decode-without-symphonia.ts', import.meta.url);
    const paths = names.map((name) => new URL(`../fixtures/audio/${name}`, import.meta.url));
    const args = [script, ...paths].map((url) => fileURLToPath(url)).toSpliced(1, 0, reason);
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout);
  }

  test('WAV and Opus are read all the same', async () => {
    const names = ['jfk.wav', 'jfk_mulaw.wav', 'jfk.ogg', 'jfk.webm'];
    for (const told of await decodeAll('no such module', names))
      expect(Math.abs(Number(told) - trueMs)).toBeLessThan(trueMs * 0.01);
  });

  test('the others are refused with what the operator has to install', async () => {
    const names = ['jfk.mp3', 'jfk.m4a', 'jfk.flac', 'jfk_vorbis.ogg'];
    const missing = 'libasound.so.2: cannot open shared object file: No such file or directory';
    for (const told of await decodeAll(missing, names))
      expect(told).toMatch(/only WAV and Opus.+install the system library libasound2\./);
    for (const told of await decodeAll('Unsupported OS: sunos', names))
      expect(told).toMatch(/only WAV and Opus.+npm has no decoder/);
  });
});

describe('damaged files', () => {
  test.for(files)('%s cut short or scrambled is decoded or refused, never more', async ([name]) => {
    const whole = recording(name);
    const half = whole.slice(0, whole.length / 2);
    const scrambled = whole.map((byte, i) => (i > 200 && i % 97 === 0 ? byte ^ 0x5a : byte));
    const headless = whole.map((byte, i) => (i > 12 && i < 120 ? (i * 31) & 255 : byte));
    for (const broken of [half, scrambled, headless]) {
      const outcome = await decoder.open(broken).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toSatisfy(isRefusal);
      else expect(outcome).toMatchObject({ durationMs: expect.any(Number) });
    }
    await expect(decoder.open(recording('jfk.ogg'))).resolves.toMatchObject({ durationMs: 11_000 });
  });

  test.each([
    ['zeros', () => 0],
    ['noise', (at: number) => (at * 2_654_435_761) >>> 24],
  ])('AAC with 3,000 bytes of %s in it is heard before and after them', async (_, byteAt) => {
    const damaged = recording('jfk.m4a').map((byte, at) => (at >= 60_000 && at < 63_000 ? byteAt(at) : byte));
    const [whole, heard] = [await decodedSamples(recording('jfk.m4a')), await decodedSamples(damaged)];
    expect(heard.length).toBe(whole.length);
    const parts = [0, 6 * 16_000].map((at) =>
      [whole, heard].map((pcm) => envelope(pcm.subarray(at, at + 64_000))),
    );
    for (const [truth = [], part = []] of parts) expect(correlation(truth, part)).toBeGreaterThan(0.99);
  });

  /** In the last of its tags, and the demuxer looked for the sound for ever. */
  test.each([200, 2_000])('a FLAC cut to %i bytes, before its sound, is refused', async (bytes) => {
    await expect(decoder.open(recording('jfk.flac').slice(0, bytes))).rejects.toThrow(/is damaged/);
  });

  test.each([
    ['its head', 300, /is damaged/],
    ['half of it', 23_000, undefined],
  ])('a WebM with zeros after %s gives what stands before them', async (_, kept, refused) => {
    const file = new Uint8Array(400_000);
    file.set(recording('jfk.webm').slice(0, kept));
    const opened = decoder.open(file);
    if (refused) await expect(opened).rejects.toThrow(refused);
    else expect((await opened).durationMs).toBeGreaterThan(4_000);
  });

  test('a cut file is charged for what it holds, not for what its header claims', async () => {
    const whole = recording('jfk.wav');
    const { durationMs } = await decoder.open(whole.slice(0, whole.length / 2));
    expect(durationMs).toBeGreaterThan(5_000);
    expect(durationMs).toBeLessThan(6_000);
  });
});

describe('limits', () => {
  test('800 kB that unpack to 20 hours are refused, whatever the header claims', async () => {
    await expect(decoder.open(flacBomb(55_000))).rejects.toThrow(/at most 180/);
  });

  test('a recording longer than allowed is refused before it is decoded', async () => {
    const short = createAudioDecoder({ limits: { maxSeconds: 5 } });
    await expect(short.open(recording('jfk.ogg'))).rejects.toThrow(/at most/);
    await short.close();
  });

  test('more channels than allowed are refused', async () => {
    const mono = createAudioDecoder({ limits: { maxChannels: 1 } });
    await expect(mono.open(recording('jfk.ogg'))).rejects.toThrow(/channels/);
    await mono.close();
  });

  test('a file that takes too much memory ends its process and nothing else', async () => {
    const small = createAudioDecoder({ limits: { memoryCapBytes: 1_000_000 } });
    await expect(small.open(wavOf(silence(300)))).rejects.toThrow(/costs too much/);
    await small.close();
  });

  test('a file that takes too long ends its process and nothing else', async () => {
    const hasty = createAudioDecoder({ limits: { deadlineMs: 1 } });
    await expect(hasty.open(recording('jfk.flac'))).rejects.toThrow(/costs too much/);
    await hasty.close();
  });

  test('an aborted decoding rejects with the reason, and the next file is decoded', async () => {
    const gone = new AbortController();
    const decoding = decoder.open(recording('jfk.flac'), { signal: gone.signal });
    gone.abort(new Error('client left'));
    await expect(decoding).rejects.toThrow('client left');
    await expect(decoder.open(recording('jfk.ogg'))).resolves.toMatchObject({ durationMs: 11_000 });
  });

  test('many files at once are all decoded', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => decoder.open(recording('jfk.ogg'))));
    expect(all.map(({ durationMs }) => durationMs)).toEqual(Array(6).fill(11_000));
  });
});

describe('a file that takes long', () => {
  test('keeps nobody else waiting', { tags: 'slow' }, async () => {
    const own = createAudioDecoder();
    const bomb = flacBomb(55_000);
    const hostile = Array.from({ length: 6 }, () =>
      own.open(bomb, { userId: 'mallory' }).catch((error: unknown) => error),
    );
    // The other user's turn comes before the last of the hostile files.
    const order: string[] = [];
    for (const file of hostile) void file.then(() => order.push('hostile'));
    await own.open(recording('jfk.ogg'), { userId: 'ada' }).then(() => order.push('ada'));
    expect(order.filter((who) => who === 'hostile').length).toBeLessThan(6);
    for (const outcome of await Promise.all(hostile)) expect(outcome).toSatisfy(isRefusal);
    await own.close();
  });

  test('whoever gives up while waiting leaves the line at once', async () => {
    const busy = Array.from({ length: 4 }, () => decoder.open(recording('jfk.ogg'), { userId: 'ada' }));
    const gone = new AbortController();
    const waiting = decoder.open(recording('jfk.ogg'), { userId: 'ada', signal: gone.signal });
    let isOver = false;
    const all = Promise.all(busy).then(() => {
      isOver = true;
    });
    gone.abort(new Error('client left'));
    await expect(waiting).rejects.toThrow('client left');
    expect(isOver).toBe(false);
    await all;
  });

  test('a process that died while it had nothing to do does not cost the next recording', {
    tags: 'slow',
  }, async () => {
    const own = createAudioDecoder();
    await own.open(recording('jfk.ogg'));
    const children = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes('decoder-process') && line.includes(` ${process.pid} `))
      .map((line) => Number.parseInt(line, 10));
    expect(children.length).toBeGreaterThanOrEqual(1);
    for (const pid of children) process.kill(pid, 'SIGKILL');
    const decoded = await Promise.all([1, 2, 3].map(() => own.open(recording('jfk.ogg'))));
    expect(decoded.map(({ durationMs }) => durationMs)).toEqual([11_000, 11_000, 11_000]);
    await own.close();
  });
});

const isRefusal = (error: unknown) => error instanceof NotAudio || error instanceof BadAudio;

const loudness = (pcm: Float32Array) => Math.sqrt(pcm.reduce((sum, x) => sum + x * x, 0) / pcm.length);

/** Loudness of each tenth of a second. */
const envelope = (pcm: Float32Array) =>
  Array.from({ length: Math.floor(pcm.length / 1600) }, (_, i) =>
    loudness(pcm.subarray(i * 1600, (i + 1) * 1600)),
  );

function correlation(a: number[], b: number[]): number {
  const n = Math.min(a.length, b.length);
  const mean = (x: number[]) => x.slice(0, n).reduce((sum, v) => sum + v, 0) / n;
  const [ma, mb] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const [da, db] = [(a[i] ?? 0) - ma, (b[i] ?? 0) - mb];
    ab += da * db;
    aa += da * da;
    bb += db * db;
  }
  return ab / Math.sqrt(aa * bb);
}
