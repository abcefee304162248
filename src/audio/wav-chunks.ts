/** What the chunks of a RIFF file say of the samples in it. */
export interface WavFile {
  /** 1 for plain samples; the other numbers are those of Microsoft's mmreg.h. */
  formatTag: number;
  channels: number;
  sampleRate: number;
  blockBytes: number;
  /** The format chunk, with what the codec adds to it. */
  format: DataView;
  data: Uint8Array;
  /** From the chunk `fact`; null where there is none, or it says nothing. */
  samples: number | null;
}

const extensible = 0xff_fe;

/** Null when it is not a WAV file, or one without a format or samples. Sizes that lie end where the file does. */
export function readWav(file: Uint8Array): WavFile | null {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const tag = (at: number) => Buffer.from(file.subarray(at, at + 4)).toString('latin1');
  if (file.length < 12 || tag(0) !== 'RIFF' || tag(8) !== 'WAVE') return null;
  let format: DataView | null = null;
  let samples: number | null = null;
  for (let at = 12; at + 8 <= file.length; ) {
    const size = Math.min(view.getUint32(at + 4, true), file.length - at - 8);
    const content = new DataView(file.buffer, file.byteOffset + at + 8, size);
    if (tag(at) === 'fmt ' && size >= 16) format = content;
    if (tag(at) === 'fact' && size >= 4) samples = content.getUint32(0, true) || null;
    if (tag(at) === 'data' && format !== null) {
      const said = format.getUint16(0, true);
      return {
        formatTag: said === extensible && format.byteLength >= 26 ? format.getUint16(24, true) : said,
        channels: format.getUint16(2, true),
        sampleRate: format.getUint32(4, true),
        blockBytes: format.getUint16(12, true),
        format,
        data: file.subarray(at + 8, at + 8 + size),
        samples,
      };
    }
    at += 8 + size + (size & 1);
  }
  return null;
}
