/** Samples of speech everywhere in Steno: 16 kHz, one channel, as speech models want them. */
export const pcmRate = 16_000;

/** What a caller may send, by the names people use. A file is recognised by its content, never by its name. */
export const audioFormats = ['wav', 'mp3', 'm4a', 'mp4', 'ogg', 'flac', 'webm', 'aac'] as const;

/** What a file is by its content: `m4a` is an MP4 that holds sound alone. */
export type AudioContainer = Exclude<(typeof audioFormats)[number], 'm4a'>;

/** The formats as a sentence has them: "WAV, MP3, … or AAC". */
export const acceptedAudio = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  audioFormats.map((format) => (format === 'webm' ? 'WebM' : format.toUpperCase())),
);

const mebibyte = 1024 * 1024;
export const maxUploadBytes = 4 * mebibyte;
/** The cap as a sentence has it: "4 MiB". */
export const maxUploadSize = `${maxUploadBytes / mebibyte} MiB`;
