import { pcmRate } from '../domain/audio.ts';
import { BadAudio } from '../domain/speech-errors.ts';
import { mixDown } from './mix-down.ts';

type Decode = (file: Uint8Array) => Promise<Float32Array>;

/**
 * Symphonia decodes MP3, AAC, FLAC and Vorbis. Two packages carry it: that of whisper.cpp for Linux on x64 and for
 * Macs, and that of the Web Audio API for other systems. The second one needs libasound.so.2 on Linux, which small
 * containers lack, although nothing is played.
 */
async function load(): Promise<Decode> {
  try {
    const { decodeAudio } = await import('@napi-rs/whisper');
    return async (file) => decodeAudio(file);
  } catch {
    const { OfflineAudioContext } = await import('node-web-audio-api');
    return async (file) => {
      const context = new OfflineAudioContext(1, 1, pcmRate);
      const decoded = await context.decodeAudioData(Uint8Array.from(file).buffer);
      const channels = Array.from({ length: decoded.numberOfChannels }, (_, i) => decoded.getChannelData(i));
      return mixDown(channels, decoded.length);
    };
  }
}

let loading: Promise<Decode> | undefined;

/** To mono at 16 kHz. Raises BadAudio when neither package can be loaded. */
export async function decodeWithSymphonia(file: Uint8Array): Promise<Float32Array> {
  loading ??= load();
  const decode = await loading.catch((cause: unknown) => {
    const remedy = String(cause).includes('libasound')
      ? 'Send one of these, or ask the operator to install the system library libasound2.'
      : 'Send one of these: npm has no decoder of other formats for the system it runs on.';
    throw new BadAudio(`This server reads only WAV and Opus recordings. ${remedy}`, cause);
  });
  return decode(file);
}
