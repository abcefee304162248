/** What one file may cost. 4 MiB can unpack to hours: constant FLAC blocks hold 65,535 samples in about 14 bytes. */
export interface AudioLimits {
  maxSeconds: number;
  maxChannels: number;
  maxSampleRate: number;
  /** Of the decoding process, file and samples included. */
  memoryCapBytes: number;
  deadlineMs: number;
}

export const defaultAudioLimits: AudioLimits = {
  maxSeconds: 3 * 3600,
  maxChannels: 8,
  maxSampleRate: 192_000,
  memoryCapBytes: 2_500_000_000,
  deadlineMs: 60_000,
};
