import {
  BufferTarget,
  EncodedAudioPacketSource,
  type EncodedPacket,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
} from 'mediabunny';
import { pcmRate } from '../../domain/audio.ts';
import { BadAudio, DecoderUnavailable, damagedAudio } from '../../domain/speech-errors.ts';
import { alacFile } from './alac.ts';
import type { OpenTrack } from './open-track.ts';
import { mixDown, resample } from './samples.ts';
import { notRead } from './sniff.ts';

interface Decoder {
  /** One channel, at the rate asked for or at `rate` if there is one. */
  decode(file: Uint8Array, rate: number): Promise<Float32Array>;
  /** The only rate that it gives. */
  rate?: number;
}

/**
 * Symphonia decodes MP3, AAC, ALAC, FLAC and Vorbis, whole files only. Two packages carry it: the one of the Web Audio API, which
 * needs libasound.so.2 on Linux although nothing is played, and the one of whisper.cpp, for Linux on x64 and for Macs.
 */
async function load(): Promise<Decoder> {
  try {
    const { OfflineAudioContext } = await import('node-web-audio-api');
    // Each takes 100 kB that it never gives back, so one is made for a rate, not for a group of packets.
    const contexts = new Map<number, InstanceType<typeof OfflineAudioContext>>();
    return {
      async decode(file, rate) {
        const context = contexts.get(rate) ?? new OfflineAudioContext(1, 1, rate);
        contexts.set(rate, context);
        const decoded = await context.decodeAudioData(Uint8Array.from(file).buffer);
        const channels = Array.from({ length: decoded.numberOfChannels }, (_, i) =>
          decoded.getChannelData(i),
        );
        return mixDown(channels, decoded.length);
      },
    };
  } catch (cause) {
    const { decodeAudio } = await import('@napi-rs/whisper').catch(() => {
      throw cause;
    });
    return { decode: async (file) => decodeAudio(file), rate: pcmRate };
  }
}

let loading: Promise<Decoder> | undefined;

/** What only the operator can change. Any other fault passes, such as files that an `npm ci` has not written yet. */
const isLacking = (cause: unknown) => /libasound|shared library|Unsupported/.test(String(cause));

/** Raises BadAudio on a system that neither package supports, and DecoderUnavailable when their files are gone. */
function loaded(): Promise<Decoder> {
  loading ??= load();
  return loading.catch((cause: unknown) => {
    if (!isLacking(cause)) throw new DecoderUnavailable(cause);
    const remedy = String(cause).includes('libasound')
      ? 'Send one of these, or ask the operator to install the system library libasound2.'
      : 'Send one of these: npm has no decoder of other formats for the system it runs on.';
    throw new BadAudio(`This server reads only WAV and Opus recordings. ${remedy}`, cause);
  });
}

/** All channels together. 250,000 are 2.8 s of stereo in 44.1 kHz, and 1 MB. */
const samplesPerGroup = 250_000;
/** A person who speaks waits for the words. */
const liveGroupSeconds = 0.25;
/** A block of FLAC. */
const longestPacketSamples = 65_535;

/** Packets that are decoded again before a group, because the group begins with their samples. */
const runUp: Record<string, number> = {
  // Frames borrow bits from earlier ones. With 2 the first of a group came out wrong, with 12 none did.
  mp3: 12,
  // Half of a frame overlaps the next.
  aac: 2,
  // The same, and the first packet gives no samples of its own.
  vorbis: 1,
};

/** Surround audio fails with an error that looks like damage. */
const isUnsupported = ({ track }: OpenTrack, cause: unknown) =>
  track.numberOfChannels > 2 || /unsupported/i.test(String(cause));

function unsupported({ format, codec, track }: OpenTrack, cause: unknown): BadAudio {
  const [name, channels] = [codec.toUpperCase(), track.numberOfChannels];
  const kind = channels > 2 ? `${name} with ${channels} channels` : `a rare kind of ${name}`;
  return notRead(format.toUpperCase(), kind, cause);
}

/** Codecs whose packets need no others: decoded alone, a bad one shows. */
const independent = ['aac', 'alac', 'flac'];

/**
 * A packet of AAC ends with three ones and up to seven zeros (`raw_data_block` in ISO 14496-3). If it ends with more zeros, a
 * disk or a connection has lost its end, and the native code would abort.
 */
const isTorn = ({ data }: EncodedPacket) => data.length >= 8 && data.subarray(-8).every((byte) => byte === 0);

/** Packets are decoded in groups, each as a small file of its own, so that a long recording takes no more memory. */
export async function* decodeWithSymphonia(opened: OpenTrack): AsyncGenerator<Float32Array> {
  const decoder = await loaded();
  const { track, codec } = opened;
  // Outside of these the package refuses, and then resamples itself.
  const rate = decoder.rate ?? (track.sampleRate >= 8_000 ? track.sampleRate : pcmRate);
  let [decoded, failed] = [0, 0];
  yield* resample(groupsOf(opened, decodeGroup), rate);
  if (failed > decoded) throw damagedAudio(new Error(`${failed} broken packets`));

  async function* decodeGroup(packets: readonly EncodedPacket[], before: number) {
    let pcm: Float32Array;
    try {
      if (codec === 'aac' && packets.some(isTorn)) throw new Error('torn packets');
      pcm = await decode(packets);
    } catch (cause) {
      const good = await goodOnes(packets);
      if (decoded + good.size === 0) throw isUnsupported(opened, cause) ? unsupported(opened, cause) : cause;
      yield* decodeRuns(packets.slice(before), good);
      return;
    }
    decoded += packets.length;
    yield codec === 'vorbis' ? pcm : pcm.subarray(Math.round((pcm.length * before) / packets.length));
  }

  async function decode(packets: readonly EncodedPacket[]): Promise<Float32Array> {
    return decoder.decode(await wrapPackets(packets, opened), rate);
  }

  async function goodOnes(packets: readonly EncodedPacket[]): Promise<Set<EncodedPacket>> {
    const good = new Set<EncodedPacket>();
    if (!independent.includes(codec) || track.numberOfChannels > 2) return good;
    for (const packet of codec === 'aac' ? packets.filter((one) => !isTorn(one)) : packets)
      await decode([packet]).then(
        ({ length }) => length > 0 && good.add(packet),
        // Silent: a packet that cannot be decoded is what this looks for.
        () => {},
      );
    return good;
  }

  /** A few damaged packets become silence, so that the rest of the recording is transcribed. */
  async function* decodeRuns(packets: readonly EncodedPacket[], good: ReadonlySet<EncodedPacket>) {
    let run: EncodedPacket[] = [];
    for (const [at, packet] of packets.entries()) {
      run.push(packet);
      const next = packets[at + 1];
      if (next && good.has(next) === good.has(packet)) continue;
      if (good.has(packet)) {
        decoded += run.length;
        yield await decode(run);
      } else {
        failed += run.length;
        // A damaged packet may claim to last for hours.
        const seconds = run.map(({ duration }) =>
          Math.min(duration, longestPacketSamples / track.sampleRate),
        );
        yield new Float32Array(Math.round(seconds.reduce((sum, one) => sum + one, 0) * rate));
      }
      run = [];
    }
  }
}

async function* groupsOf(
  { track, codec, isLive, packets: read }: OpenTrack,
  decodeGroup: (packets: readonly EncodedPacket[], before: number) => AsyncIterable<Float32Array>,
): AsyncGenerator<Float32Array> {
  const most = isLive ? liveGroupSeconds : samplesPerGroup / track.numberOfChannels / track.sampleRate;
  let packets: EncodedPacket[] = [];
  let before = 0;
  let seconds = 0;
  for await (const packet of read()) {
    packets.push(packet);
    // A container that tells no durations must not put all packets into one group.
    seconds += packet.duration > 0 ? packet.duration : longestPacketSamples / track.sampleRate;
    if (seconds < most) continue;
    yield* decodeGroup(packets, before);
    before = Math.min(runUp[codec] ?? 0, packets.length);
    packets = packets.slice(packets.length - before);
    seconds = 0;
  }
  if (packets.length > before) yield* decodeGroup(packets, before);
}

/** Some packets of a track as a small file that the decoder reads. The packets are copied unchanged. */
async function wrapPackets(
  packets: readonly EncodedPacket[],
  { track, codec, alacCookie }: OpenTrack,
): Promise<Uint8Array> {
  const frames = packets.map(({ data }) => data);
  if (codec === 'mp3') return Buffer.concat(frames);
  if (alacCookie) return alacFile(frames, alacCookie);
  const decoderConfig = await track.getDecoderConfig();
  if (track.codec === null || decoderConfig === null) throw new Error('no decoder configuration');
  if (codec === 'flac') return Buffer.concat([flacHead(decoderConfig.description), ...frames]);
  const target = new BufferTarget();
  const format = codec === 'vorbis' ? new OggOutputFormat() : new Mp4OutputFormat({ fastStart: 'in-memory' });
  const output = new Output({ format, target });
  const source = new EncodedAudioPacketSource(track.codec);
  output.addAudioTrack(source);
  await output.start();
  // Each packet gets room enough for all of its samples, because what is over the told length would be cut off.
  const duration = mostSamplesPerPacket / decoderConfig.sampleRate;
  for (const [i, packet] of packets.entries())
    await source.add(packet.clone({ timestamp: i * duration, duration }), { decoderConfig });
  await output.finalize();
  if (target.buffer === null) throw new Error('nothing was written');
  return new Uint8Array(target.buffer);
}

const mostSamplesPerPacket = 8_192;

/** `fLaC` and the block STREAMINFO as the last block, without the length and the checksum of the whole (RFC 9639, 8.2). */
function flacHead(description: ArrayBufferView | ArrayBufferLike | undefined): Buffer {
  if (description === undefined) throw new Error('no STREAMINFO');
  const bytes = ArrayBuffer.isView(description)
    ? Buffer.from(description.buffer, description.byteOffset, description.byteLength)
    : Buffer.from(description);
  const head = Buffer.from(bytes.subarray(0, 42));
  head[4] = 0x80;
  head[21] = (head[21] ?? 0) & 0xf0;
  head.fill(0, 22);
  return head;
}
