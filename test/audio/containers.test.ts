import { OfflineAudioContext } from 'node-web-audio-api';
import { describe, expect, test } from 'vitest';
import { BadAudio } from '../../src/domain/speech-errors.ts';
import { decodeFile } from '../../src/engines/audio/decode-file.ts';
import { wholeFile } from '../../src/engines/audio/file-bytes.ts';
import { defaultAudioLimits } from '../../src/engines/audio/sniff.ts';
import { aiffOf, cafOf, rf64Of, wavWith } from '../support/containers.ts';
import { decodedSamples, recording, samplesOf } from '../support/sound.ts';
import { randomFrom } from '../support/whisper-file.ts';

const trueMs = 8_730;

async function decoded(file: Uint8Array) {
  const samples = await decodedSamples(file);
  const { durationMs } = await decodeFile(wholeFile(file), defaultAudioLimits);
  return { samples, durationMs: durationMs(samples.length) };
}

/** How alike two recordings are, sample by sample, without any shift. */
function likeness(a: Float32Array, b: Float32Array): number {
  let [product, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    product += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return product / Math.sqrt(ofA * ofB);
}

describe('files of other programs', () => {
  test.for(['libri_alac.m4a', 'libri_adpcm_ima.wav', 'libri_adpcm_ms.wav', 'libri_mp3.wav'])(
    '%s has the sound of the lossless FLAC in an OGG, at the same place, and its length within 50 ms',
    async (name) => {
      const truth = await decoded(recording('libri_flac.oga'));
      const { samples, durationMs } = await decoded(recording(name));
      expect(truth.durationMs).toBe(trueMs);
      expect(Math.abs(durationMs - trueMs)).toBeLessThan(50);
      expect(likeness(samples, truth.samples)).toBeGreaterThan(0.99);
    },
  );

  test.for([
    ['libri_speex.ogg', /^This OGG file holds Speex, which Steno does not read\. Save/],
    ['libri_amr.3gp', /^This MP4 file holds AMR, which Steno does not read\. Save/],
  ] as const)('%s is refused with what it holds', async ([name, sentence]) => {
    await expect(decoded(recording(name))).rejects.toThrow(sentence);
  });

  test('what is added before the sound is not counted: raw AAC, and MP3 without a word of it', async () => {
    const truth = samplesOf('jfk.wav');
    for (const name of ['jfk.aac', 'jfk.mp3', 'jfk.m4a']) {
      const { samples, durationMs } = await decoded(recording(name));
      expect(Math.abs(durationMs - 11_000), name).toBeLessThan(50);
      expect(likeness(samples, truth), name).toBeGreaterThan(0.9);
    }
  });
});

describe('plain samples in the containers of Apple and in RF64', () => {
  const truth = samplesOf('jfk.wav');
  test.for([
    ['AIFF, 8 bits', aiffOf(truth, { bits: 8 }), 0.99],
    ['AIFF, 16 bits', aiffOf(truth, { bits: 16 }), 0.999_99],
    ['AIFF, 24 bits', aiffOf(truth, { bits: 24 }), 0.999_99],
    ['AIFF, 32 bits', aiffOf(truth, { bits: 32 }), 0.999_99],
    ['AIFC, lowest byte first', aiffOf(truth, { bits: 16, codec: 'sowt' }), 0.999_99],
    ['AIFC, floats', aiffOf(truth, { bits: 32, codec: 'fl32' }), 0.999_99],
    ['CAF, lowest byte first', cafOf(truth, { bits: 16, isLittleEndian: true }), 0.999_99],
    ['CAF, highest byte first', cafOf(truth, { bits: 24, isLittleEndian: false }), 0.999_99],
    ['CAF, floats', cafOf(truth, { bits: 32, isLittleEndian: true, isFloat: true }), 0.999_99],
    ['RF64', rf64Of(truth), 0.999_99],
  ] as const)('%s', async ([, file, alike]) => {
    const { samples, durationMs } = await decoded(file);
    expect(Math.abs(durationMs - 11_000)).toBeLessThan(50);
    expect(samples.length).toBe(truth.length);
    expect(likeness(samples, truth)).toBeGreaterThan(alike);
  });

  test.for([
    [
      'AIFF with ADPCM',
      aiffOf(truth, { bits: 16, codec: 'ima4' }),
      /This AIFF file holds ADPCM \(ima4\), which/,
    ],
    [
      'CAF with AAC',
      cafOf(truth, { bits: 16, isLittleEndian: true, codec: 'aac ' }),
      /This CAF file holds AAC, which/,
    ],
    ['WAV with GSM', wavWith(0x31, new Uint8Array(650)), /This WAV file holds GSM 6\.10, which/],
    [
      'WAV with what nobody knows',
      wavWith(0x4321, new Uint8Array(650)),
      /holds the codec number 17185, which/,
    ],
  ] as const)('%s is refused with what it holds', async ([, file, sentence]) => {
    await expect(decoded(file)).rejects.toThrow(sentence);
  });

  test.for([
    ['AIFF', aiffOf(truth, { bits: 16 })],
    ['CAF', cafOf(truth, { bits: 16, isLittleEndian: true })],
  ] as const)('%s that is cut off gives what is there, or is refused as damaged', async ([, file]) => {
    expect((await decoded(file.subarray(0, 100_000))).durationMs).toBeLessThan(4_000);
    await expect(decoded(file.subarray(0, 20))).rejects.toThrow(/damaged/);
  });
});

describe('damaged files', () => {
  const libri = [
    'libri_alac.m4a',
    'libri_adpcm_ima.wav',
    'libri_adpcm_ms.wav',
    'libri_mp3.wav',
    'libri_flac.oga',
  ];
  test.for([
    ...libri.map((name) => [name, recording(name)] as const),
    ['an AIFF', aiffOf(samplesOf('jfk.wav'), { bits: 24 })] as const,
    ['a CAF', cafOf(samplesOf('jfk.wav'), { bits: 16, isLittleEndian: true })] as const,
  ])('%s cut short or scrambled is decoded or refused, never more', async ([, whole]) => {
    const half = whole.slice(0, whole.length / 2);
    const scrambled = whole.map((byte, i) => (i > 200 && i % 97 === 0 ? byte ^ 0x5a : byte));
    const headless = whole.map((byte, i) => (i > 12 && i < 120 ? (i * 31) & 255 : byte));
    for (const broken of [half, scrambled, headless]) {
      const outcome = await decoded(broken).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(BadAudio);
      else expect(outcome).toMatchObject({ durationMs: expect.any(Number) });
    }
  });
});

describe('ADPCM', () => {
  const random = randomFrom(3);

  /** Blocks of random bytes are as good as any, if their heads make sense. */
  function blocks(tag: 2 | 0x11, channels: number): Uint8Array {
    const bytes = Uint8Array.from({ length: 6 * 512 * channels }, () => Math.floor((random() + 1) * 128));
    for (let at = 0; at < bytes.length; at += 512 * channels)
      for (let channel = 0; channel < channels; channel++)
        if (tag === 2) bytes.set([channel], at + channel);
        else bytes.set([20, 0], at + channel * 4 + 2);
    return bytes;
  }

  test.for([
    ['Microsoft, one channel', 2, 1],
    ['Microsoft, two channels', 2, 2],
    ['IMA, one channel', 0x11, 1],
    ['IMA, two channels', 0x11, 2],
  ] as const)('%s: the same samples as another decoder', async ([, tag, channels]) => {
    const file = wavWith(tag, blocks(tag, channels), { channels, blockBytes: 512 * channels });
    const context = new OfflineAudioContext(1, 1, 16_000);
    const other = await context.decodeAudioData(Uint8Array.from(file).buffer);
    const mean = Float32Array.from({ length: other.length }, (_, i) => {
      let sum = 0;
      for (let channel = 0; channel < channels; channel++) sum += other.getChannelData(channel)[i] ?? 0;
      return sum / channels;
    });
    const { samples } = await decoded(file);
    expect(likeness(samples, mean)).toBeGreaterThan(0.9999);
    expect(Math.abs(samples.length - mean.length)).toBeLessThan(20);
  });

  test('a block without room for samples is refused, and does not run for ever', async () => {
    for (const blockBytes of [0, 4])
      await expect(decoded(wavWith(0x11, new Uint8Array(999), { channels: 1, blockBytes }))).rejects.toThrow(
        /damaged/,
      );
  });
});
