/** What we use of the package. Its own types would bring the types of a browser into every file (see tsconfig.json). */
export class OfflineAudioContext {
  constructor(channels: number, length: number, sampleRate: number);
  decodeAudioData(file: ArrayBuffer): Promise<{
    numberOfChannels: number;
    length: number;
    getChannelData(channel: number): Float32Array;
  }>;
}
