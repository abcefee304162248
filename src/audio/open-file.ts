import type { AudioContainer } from '../domain/audio.ts';
import { BadAudio, damagedAudio } from '../domain/speech-errors.ts';
import { adpcmHeadBytes, adpcmTags, decodeAdpcm } from './adpcm.ts';
import { decodeOpus } from './decode-opus.ts';
import { decodePcm, isPcm } from './decode-pcm.ts';
import { type FileBytes, wholeFile } from './file-bytes.ts';
import type { AudioLimits } from './limits.ts';
import { notRead, wavCodecName } from './not-read.ts';
import { oggCodec, unwrapFlac } from './ogg-packets.ts';
import { openTrack, refuseOutside } from './open-track.ts';
import { inPieces } from './pieces.ts';
import { resample } from './resample.ts';
import { sniffAudio } from './sniff.ts';
import { decodeWithSymphonia } from './symphonia.ts';
import { aiffToWav, cafToWav } from './to-wav.ts';
import { readWav, type WavFile } from './wav-chunks.ts';

export interface OpenAudio {
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
