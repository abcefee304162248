import { setImmediate as nextTurn } from 'node:timers/promises';
import { AudioSampleSink, type InputAudioTrack, PCM_AUDIO_CODECS } from 'mediabunny';
import { OpusDecoder } from 'opus-decoder';
import { type AudioContainer, pcmRate } from '../../domain/audio.ts';
import { AppError } from '../../domain/errors.ts';
import { BadAudio, damagedAudio } from '../../domain/speech-errors.ts';
import { collectGarbage } from '../../lib/collect-garbage.ts';
import { type FileBytes, wholeFile } from './file-bytes.ts';
import { type OpenTrack, openTrack } from './open-track.ts';
import { aiffToWav, cafToWav, unwrapFlac } from './rewrite.ts';
import { inPieces, mixDown, resample, withoutFirst, withoutLast } from './samples.ts';
import {
  type AudioLimits,
  notRead,
  oggCodec,
  refuseOutside,
  refuseTooLong,
  sniffAudio,
  wavCodecName,
} from './sniff.ts';
import { decodeWithSymphonia } from './symphonia.ts';
import { adpcmHeadBytes, adpcmTags, decodeAdpcm, readWav, type WavFile } from './wav.ts';

interface DecodedFile {
  /** One channel at `pcmRate`, piece by piece; never all of it is in memory. */
  pieces: AsyncGenerator<Float32Array>;
  /** Of a file that came out as so many samples. */
  durationMs(samples: number): number;
  /** What the file says; null when it says nothing. */
  expectedMs: number | null;
}

/** Runs in the decoding processes only: a damaged file may crash them. */
export async function decodeFile(file: FileBytes, limits: AudioLimits): Promise<DecodedFile> {
  const opened = await openFile(file, limits);
  return {
    pieces: piecesOf(opened, limits),
    expectedMs: Number.isFinite(opened.seconds) ? Math.round(opened.seconds * 1000) : null,
    durationMs: (samples) => Math.round(believedSeconds(samples, opened) * 1000),
  };
}

/** Without what the codec added before and after the audio. */
async function* piecesOf(opened: OpenAudio, limits: AudioLimits) {
  const [before, after] = [opened.addedBefore, opened.addedAfter].map((added) => Math.round(added * pcmRate));
  const trimmed = withoutLast(after ?? 0, withoutFirst(before ?? 0, opened.pieces()));
  let told = isHeaderless(opened) ? Number.POSITIVE_INFINITY : Math.round(opened.seconds * pcmRate);
  let samples = 0;
  let beyond: Float32Array[] = [];
  try {
    for await (const piece of trimmed) {
      const within = Math.max(0, Math.min(piece.length, told - samples));
      samples += piece.length;
      refuseTooLong(samples / pcmRate, limits);
      if (within > 0) yield piece.subarray(0, within);
      if (within < piece.length) beyond.push(piece.subarray(within));
      // A codec fills its last packet up, and the container says where the audio ends. More than a packet is audio.
      if (samples - told >= paddingSamples) {
        told = Number.POSITIVE_INFINITY;
        yield* beyond;
        beyond = [];
      }
      if (
        Math.trunc(samples / samplesPerCollection) >
        Math.trunc((samples - piece.length) / samplesPerCollection)
      )
        collectGarbage();
      // Other recordings are read by the same process.
      await nextTurn();
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : damagedAudio(cause);
  }
  if (samples === 0) throw damagedAudio(new Error('no samples'));
}

const paddingSamples = pcmRate / 4;
const samplesPerCollection = 15 * pcmRate;

/** In MP3 and ADTS the container counts the silence that the encoder added, so there the samples decide. */
const isHeaderless = ({ format }: OpenAudio) => format === 'mp3' || format === 'aac';

/**
 * The container's duration is exact, while the decoder's resampler loses some milliseconds. It counts only when the
 * samples agree: a header may lie, and a file may be cut.
 */
function believedSeconds(samples: number, opened: OpenAudio): number {
  const measured = samples / pcmRate;
  const { seconds } = opened;
  return !isHeaderless(opened) && Math.abs(measured - seconds) <= 0.05 + measured * 0.005
    ? seconds
    : measured;
}

interface OpenAudio {
  format: AudioContainer;
  seconds: number;
  /** Seconds of silence that the encoder put before the beginning and after the end. */
  addedBefore: number;
  addedAfter: number;
  /** One channel at `pcmRate`. */
  pieces(): AsyncIterable<Float32Array>;
}

const mp3Tag = 0x55;
/** What mediabunny reads itself: whole numbers, floats, A-law, µ-law. */
const plainTags = [1, 3, 6, 7];

/** Looks into the containers that mediabunny does not read, and gives it what is in them. */
export async function openFile(file: FileBytes, limits: AudioLimits): Promise<OpenAudio> {
  switch (sniffAudio(file.head)) {
    case 'wav':
      return openWav(file, limits);
    case 'ogg':
      return openOgg(file, limits);
    case 'aiff':
      return openRewritten(file, limits, aiffToWav);
    case 'caf':
      return openRewritten(file, limits, cafToWav);
    default:
      return openWith(limits, file);
  }
}

async function openWith(limits: AudioLimits, file: FileBytes): Promise<OpenAudio> {
  const opened = await openTrack(file, limits);
  return {
    ...opened,
    pieces() {
      if (opened.codec === 'opus') return decodeOpus(opened);
      return isPcm(opened) ? decodePcm(opened) : decodeWithSymphonia(opened);
    },
  };
}

async function openRewritten(
  file: FileBytes,
  limits: AudioLimits,
  rewrite: (file: Uint8Array) => Uint8Array,
): Promise<OpenAudio> {
  const bytes = await file.whole();
  try {
    return await openWith(limits, wholeFile(rewrite(bytes)));
  } catch (cause) {
    throw cause instanceof BadAudio ? cause : damagedAudio(cause);
  }
}

async function openWav(file: FileBytes, limits: AudioLimits): Promise<OpenAudio> {
  const said = readWav(file.head);
  if (said === null || plainTags.includes(said.formatTag)) return openWith(limits, file);
  const wav = readWav(await file.whole()) ?? said;
  if (wav.formatTag === adpcmTags.ima || wav.formatTag === adpcmTags.microsoft) return openAdpcm(wav, limits);
  if (wav.formatTag === mp3Tag) return openWith(limits, wholeFile(wav.data));
  throw notRead('WAV', wavCodecName(wav.formatTag));
}

function openAdpcm(wav: WavFile, limits: AudioLimits): OpenAudio {
  refuseOutside(limits, wav);
  if (wav.blockBytes <= adpcmHeadBytes(wav)) throw damagedAudio(new Error('no room for samples in a block'));
  const pieces = () => resample(inPieces(soon(decodeAdpcm(wav)), 16_384), wav.sampleRate);
  // The chunk `fact` counts what fills the last block, so the samples decide.
  return { format: 'wav', seconds: Number.POSITIVE_INFINITY, addedBefore: 0, addedAfter: 0, pieces };
}

async function* soon<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

function openOgg(file: FileBytes, limits: AudioLimits): Promise<OpenAudio> {
  const codec = oggCodec(file.head);
  if (codec === 'speex') throw notRead('OGG', 'Speex');
  return codec === 'flac' ? openRewritten(file, limits, unwrapFlac) : openWith(limits, file);
}

const pcmCodecs: readonly string[] = PCM_AUDIO_CODECS;

/** Plain samples, also µ-law and A-law of telephones. */
const isPcm = ({ codec }: OpenTrack) => pcmCodecs.includes(codec);

const framesPerPiece = 16_384;

/** Needs no native code, so WAV works on every system. */
const decodePcm = ({ track }: OpenTrack): AsyncGenerator<Float32Array> =>
  resample(inPieces(readSamples(track), framesPerPiece), Math.round(track.sampleRate));

async function* readSamples(track: InputAudioTrack): AsyncGenerator<Float32Array> {
  for await (const sample of new AudioSampleSink(track).samples()) {
    const channels = Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
      const channel = new Float32Array(sample.numberOfFrames);
      sample.copyTo(channel, { planeIndex, format: 'f32-planar' });
      return channel;
    });
    yield mixDown(channels, sample.numberOfFrames);
    sample.close();
  }
}

const opusRate = 48_000;

/** libopus gives 16 kHz itself, so nothing is resampled here. */
async function* decodeOpus(opened: OpenTrack): AsyncGenerator<Float32Array> {
  const { preSkip, layout } = readOpusHead((await opened.track.getDecoderConfig())?.description, opened);
  const decoder = new OpusDecoder({ ...layout, sampleRate: pcmRate });
  await decoder.ready;
  try {
    const runIn = Math.round((preSkip * pcmRate) / opusRate);
    yield* withoutFirst(
      runIn,
      inPieces(decodePackets(opened, decoder), opened.isLive ? pcmRate / 10 : pcmRate),
    );
  } finally {
    decoder.free();
  }
}

async function* decodePackets(
  { packets }: OpenTrack,
  decoder: OpusDecoder<typeof pcmRate>,
): AsyncGenerator<Float32Array> {
  let [decoded, failed] = [0, 0];
  for await (const packet of packets()) {
    const { channelData, samplesDecoded, errors } = decoder.decodeFrame(packet.data);
    failed += errors.length;
    if (samplesDecoded === 0) continue;
    decoded += 1;
    yield mixDown(channelData, samplesDecoded);
  }
  if (failed > decoded) throw damagedAudio(new Error(`${failed} broken Opus packets`));
}

/** The identification header of RFC 7845, section 5.1; WebM carries the same bytes. */
function readOpusHead(description: ArrayBufferView | ArrayBufferLike | undefined, { track }: OpenTrack) {
  const channels = track.numberOfChannels;
  const bytes = description === undefined ? new Uint8Array() : asBytes(description);
  const preSkip = bytes.length >= 12 ? (bytes[10] ?? 0) | ((bytes[11] ?? 0) << 8) : 0;
  const family = bytes[18] ?? 0;
  if (family === 0 || bytes.length < 21 + channels) {
    const coupled = channels > 1 ? 1 : 0;
    return {
      preSkip,
      layout: {
        channels: coupled + 1,
        streamCount: 1,
        coupledStreamCount: coupled,
        channelMappingTable: coupled ? [0, 1] : [0],
      },
    };
  }
  return {
    preSkip,
    layout: {
      channels,
      streamCount: bytes[19] ?? 1,
      coupledStreamCount: bytes[20] ?? 0,
      channelMappingTable: [...bytes.subarray(21, 21 + channels)],
    },
  };
}

const asBytes = (source: ArrayBufferView | ArrayBufferLike) =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
