/** Samples a second, one channel: what speech models expect. Steno uses it everywhere. */
export const pcmRate = 16_000;

/** What a caller may send, by the names people use. A file is recognised by its content, never by its name. */
export const audioFormats = [
  'wav',
  'mp3',
  'm4a',
  'mp4',
  'ogg',
  'flac',
  'webm',
  'aac',
  'aiff',
  'caf',
] as const;

export type AudioFormat = (typeof audioFormats)[number];

/** PCM and Opus are decoded without native code. OGG and WebM almost always hold Opus. */
export const formatsWithoutNativeDecoder: readonly AudioFormat[] = ['wav', 'ogg', 'webm'];

/** What a file is by its content: `m4a` is an MP4 with nothing but audio. */
export type AudioContainer = Exclude<AudioFormat, 'm4a'>;

/** For sentences: "WAV, MP3, … or CAF". */
export const acceptedAudio = audioFormats
  .map((format) => (format === 'webm' ? 'WebM' : format.toUpperCase()))
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' or ');

const mebibyte = 1024 * 1024;
export const maxUploadBytes = 4 * mebibyte;
/** For `POST /v1/audio/transcriptions`, as much as OpenAI takes. */
export const maxOpenAiUploadBytes = 25 * mebibyte;
/** For sentences: "4 MiB". */
export const sizeInWords = (bytes: number) => `${bytes / mebibyte} MiB`;
