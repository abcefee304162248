import { BadAudio } from '../domain/speech-errors.ts';

/** For a healthy file with a codec that has no free decoder, or none here. */
export const notRead = (container: string, codec: string, cause?: unknown) =>
  new BadAudio(
    `This ${container} file holds ${codec}, which Steno does not read. Save the recording as FLAC, MP3 or WAV, and send that.`,
    cause,
  );

/** By the numbers of Microsoft's mmreg.h. */
const wavCodecs: Record<number, string | undefined> = {
  49: 'GSM 6.10',
  64: 'G.721',
  69: 'G.726',
  80: 'MPEG audio of layer I or II',
  100: 'G.726',
  101: 'G.722',
  255: 'AAC',
  353: 'Windows Media Audio',
  354: 'Windows Media Audio',
  8192: 'AC-3',
  26447: 'Vorbis',
  41225: 'Speex',
  61868: 'FLAC',
};
export const wavCodecName = (tag: number) => wavCodecs[tag] ?? `the codec number ${tag}`;

/** By the names that MP4 and Matroska have for them. */
const trackCodecs: Record<string, string | undefined> = {
  samr: 'AMR',
  sawb: 'AMR-WB',
  'ac-3': 'AC-3',
  'ec-3': 'E-AC-3',
  alac: 'ALAC',
  dtsc: 'DTS',
  ima4: 'ADPCM (ima4)',
  A_AC3: 'AC-3',
  A_EAC3: 'E-AC-3',
  A_DTS: 'DTS',
  A_ALAC: 'ALAC',
  'A_MPEG/L2': 'MPEG audio of layer II',
  A_TRUEHD: 'TrueHD',
};

export const trackCodecName = (id: unknown) => trackCodecs[String(id)] ?? `the codec "${String(id).trim()}"`;
