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
