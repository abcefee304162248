import { BadAudio } from '../domain/speech-errors.ts';

/** What one file may cost. A small file can unpack to hours: a constant FLAC block has 65,535 samples in 14 bytes. */
export interface AudioLimits {
  maxSeconds: number;
  maxChannels: number;
  maxSampleRate: number;
  /** Of the decoding process, file and samples included. */
  memoryCapBytes: number;
  /** By the clock, since its last progress: for one that waits and does nothing. */
  deadlineMs: number;
  /** Processor time for any file, with what its size adds. One that makes no progress ends soon. */
  cpuMs: number;
  cpuMsPerMebibyte: number;
  /** Added for each second of audio as it comes out, never for what a header claims. */
  cpuMsPerSecond: number;
}

export const defaultAudioLimits: AudioLimits = {
  maxSeconds: 3 * 3600,
  maxChannels: 8,
  maxSampleRate: 192_000,
  memoryCapBytes: 600_000_000,
  deadlineMs: 60_000,
  // Loading the libraries takes up to two seconds. Opus, the slowest, takes 5 ms a second of audio, twice that on a small machine.
  cpuMs: 6_000,
  cpuMsPerMebibyte: 2_000,
  cpuMsPerSecond: 15,
};

export function refuseTooLong(seconds: number, { maxSeconds }: AudioLimits): void {
  if (seconds > maxSeconds)
    throw new BadAudio(
      `The recording is ${Math.ceil(seconds / 60)} minutes long. Send parts of at most ${maxSeconds / 60} minutes.`,
    );
}

const minSampleRate = 1_000;

export function refuseOutside(
  { maxChannels, maxSampleRate }: AudioLimits,
  { channels, sampleRate }: { channels: number; sampleRate: number },
): void {
  if (channels < 1 || channels > maxChannels)
    throw new BadAudio(`The recording has ${channels} channels. Send 1 to ${maxChannels} channels.`);
  if (sampleRate < minSampleRate || sampleRate > maxSampleRate)
    throw new BadAudio(
      `The recording has ${sampleRate} samples a second. Send ${minSampleRate} to ${maxSampleRate}.`,
    );
}

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
