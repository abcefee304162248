import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decodeFile } from '../../src/audio/decode-file.ts';
import { fileInParts, growingFile, wholeFile } from '../../src/audio/file-bytes.ts';
import { defaultAudioLimits } from '../../src/audio/limits.ts';
import { watchForSecond } from '../../src/audio/second-recording.ts';
import { aiffOf, cafOf, rf64Of } from '../support/containers.ts';
import { joinPieces, recording, samplesOf } from '../support/sound.ts';

const refusal = /^The file holds two recordings, one behind the other \([A-Z34]+ and [A-Z34]+\)\. Send each/;

const seconds = ['jfk.wav', 'jfk.mp3', 'jfk.aac', 'jfk.m4a', 'jfk.flac', 'jfk.webm', 'jfk.ogg'];
const firsts = [...seconds, 'jfk_live.webm', 'jfk_video.mp4', 'jfk_vorbis.ogg', 'libri_flac.oga'];
/** These are heard as one. */
const joined = ['jfk.mp3 jfk.mp3', 'jfk.aac jfk.aac', 'jfk_live.webm jfk.webm'];
/** Frames of FLAC tell no length, and those of MP3 and AAC have no beginning that is certain anywhere. */
const missed = ['jfk.flac jfk.mp3', 'jfk.flac jfk.aac'];

const both = (first: string, second: string) => Buffer.concat([recording(first), recording(second)]);
const inParts = (bytes: Uint8Array) =>
  fileInParts(bytes.length, async (start, end) => bytes.subarray(start, end));

/** As it comes, in pieces of this size. */
function see(bytes: Uint8Array, size: number): void {
  const watch = watchForSecond(bytes.subarray(0, 65_536));
  for (let at = 0; at < bytes.length; at += size) watch.see(at, bytes.subarray(at, at + size));
}

describe('two recordings in one file are told, instead of losing the words of the second', () => {
  const pairs = firsts
    .flatMap((first) => seconds.map((second) => `${first} ${second}`))
    .filter((pair) => !joined.includes(pair) && !missed.includes(pair));
  test.for(pairs)('%s', async (pair) => {
    const [first = '', second = ''] = pair.split(' ');
    const file = both(first, second);
    expect(() => wholeFile(file)).toThrow(refusal);
    await expect(inParts(file).then((parts) => decodeFile(parts, defaultAudioLimits))).rejects.toThrow(
      refusal,
    );
  });

  test('wherever the pieces end', () => {
    for (const second of ['jfk.wav', 'jfk.m4a', 'jfk.webm', 'jfk.ogg'])
      for (const first of ['jfk.m4a', 'jfk.webm', 'jfk.flac'])
        for (const size of [63, 64, 65, 1_000])
          expect(() => see(both(first, second), size), `${first} ${second}`).toThrow(refusal);
  });

  test('in RF64, AIFF and CAF', () => {
    const caf = Buffer.from(cafOf(samplesOf('jfk.wav'), { bits: 16, isLittleEndian: true }));
    // Its size, which the support leaves open, is that of the rest.
    caf.writeBigInt64BE(BigInt(caf.length - caf.indexOf('data') - 12), caf.indexOf('data') + 4);
    for (const first of [rf64Of(samplesOf('jfk.wav')), aiffOf(samplesOf('jfk.wav'), { bits: 16 }), caf])
      expect(() => wholeFile(Buffer.concat([first, recording('jfk.ogg')]))).toThrow(refusal);
  });

  test('also behind the first minutes of a large file, where the decoder comes to it', async () => {
    const minutes = Buffer.concat([...Array(8).fill(recording('jfk.mp3')), recording('jfk.webm')]);
    await expect(inParts(minutes).then((file) => decodeFile(file, defaultAudioLimits))).rejects.toThrow(
      refusal,
    );
  });

  test('while it is spoken', async () => {
    const pieces = [recording('jfk_live.webm'), recording('jfk.ogg')];
    const file = await growingFile(async () => pieces.shift() ?? new Uint8Array());
    const decoded = decodeFile(file, defaultAudioLimits).then(({ pieces }) => joinPieces(pieces));
    await expect(decoded).rejects.toThrow(refusal);
  });
});

test('files that are joined and heard as one are no two recordings', async () => {
  for (const pair of joined) {
    const [first = '', second = ''] = pair.split(' ');
    const { pieces } = await decodeFile(await inParts(both(first, second)), defaultAudioLimits);
    expect((await joinPieces(pieces)).length / 16_000, pair).toBeGreaterThan(21.9);
  }
});

describe('a healthy file is not refused', () => {
  test('any of the recordings here, in pieces of any size', () => {
    const names = readdirSync(new URL('../fixtures/audio', import.meta.url));
    for (const name of names.filter((each) => !/\.(md|json)$/.test(each)))
      for (const size of [1_000, 1e9]) expect(() => see(recording(name), size), name).not.toThrow();
  });

  /** What a second recording begins with, and more. */
  const inside = Buffer.concat(seconds.map((name) => recording(name).subarray(0, 5_000)));
  const put = (name: string, at: number, ...bytes: Uint8Array[]) => {
    const file = recording(name);
    return Buffer.concat([file.subarray(0, at), ...bytes, file.subarray(at)]);
  };
  const sized = (tag: string, bigEndian: boolean) => {
    const head = Buffer.from(`${tag}\0\0\0\0`, 'latin1');
    if (bigEndian) head.writeUInt32BE(inside.length, 4);
    else head.writeUInt32LE(inside.length, 4);
    return Buffer.concat([head, inside]);
  };
  const box = (type: string) => {
    const head = Buffer.from(`\0\0\0\0${type}`, 'latin1');
    head.writeUInt32BE(8 + inside.length);
    return Buffer.concat([head, inside]);
  };
  const id3 = () => {
    const head = Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1');
    for (let i = 0; i < 4; i++) head[9 - i] = (inside.length >> (7 * i)) & 127;
    return Buffer.concat([head, inside]);
  };
  const flacBlock = (type: number) =>
    Buffer.concat([Buffer.from([type, 0, inside.length >> 8, inside.length & 255]), inside]);
  const unfinished = (stated: number) => {
    const file = Buffer.from(put('jfk.wav', 44, inside));
    file.writeUInt32LE(stated, 4);
    return file;
  };
  const longer = (name: string, more: Uint8Array) => {
    const file = Buffer.from(Buffer.concat([recording(name), more]));
    file.writeUInt32LE(file.length - 8, 4);
    return file;
  };

  test.for([
    ['a WAV with others among its samples', longer('jfk.wav', inside)],
    ['a WAV with tags behind its samples', longer('jfk.wav', sized('LIST', false))],
    ['a WAV with ID3 tags behind its end', Buffer.concat([recording('jfk.wav'), id3()])],
    ['a WAV that was never finished', unfinished(36)],
    ['a WAV of unknown length', unfinished(0xff_ff_ff_ff)],
    ['an MP3 with pictures in its tags', Buffer.concat([id3(), recording('jfk.mp3')])],
    ['an MP3 with tags at its end', Buffer.concat([recording('jfk.mp3'), Buffer.from('TAG'.padEnd(128))])],
    ['an MP4 with others in a box', put('jfk.m4a', recording('jfk.m4a')[3] ?? 0, box('free'))],
    ['an MP4 with others behind', Buffer.concat([recording('jfk.m4a'), box('uuid')])],
    ['a FLAC with a WAV head kept beside it', put('jfk.flac', 42, flacBlock(2))],
    ['a recording with noise behind', Buffer.concat([recording('jfk.ogg'), Buffer.alloc(9_999, 0xff)])],
  ] as const)('%s', ([, file]) => {
    for (const size of [100, 1_000, 1e9]) expect(() => see(file, size)).not.toThrow();
  });
});
