import { skipId3 } from './sniff.ts';

/** What an MP3 encoder adds before and after the audio, in samples of the file's rate. */
export interface Mp3Gaps {
  before: number;
  after: number;
}

/** What every decoder adds before the audio. */
const decoderDelay = 529;
/** Where the encoder left no tag: LAME puts 576 samples before the audio, other encoders no less. */
export const usualMp3Gaps: Mp3Gaps = { before: 576 + decoderDelay, after: 0 };
const searchedBytes = 4_096;

/** From the tag that LAME and its relatives leave in the first frame. */
export function readMp3Gaps(file: Uint8Array): Mp3Gaps {
  const firstFrame = skipId3(file);
  const head = Buffer.from(file.subarray(firstFrame, firstFrame + searchedBytes)).toString('latin1');
  const at = firstFrame + Math.max(head.indexOf('Xing'), head.indexOf('Info'));
  if (at < firstFrame) return usualMp3Gaps;
  const flags = file[at + 7] ?? 0;
  // Frames and bytes have 4 bytes each, the table of contents 100, the quality 4; then nine of the encoder's name.
  const lengths = [4, 4, 100, 4];
  const lame = at + 8 + lengths.reduce((sum, length, bit) => sum + ((flags >> bit) & 1 ? length : 0), 0);
  if (!/^La[mv]/i.test(Buffer.from(file.subarray(lame, lame + 3)).toString('latin1'))) return usualMp3Gaps;
  const [b1 = 0, b2 = 0, b3 = 0] = file.subarray(lame + 21, lame + 24);
  return {
    before: ((b1 << 4) | (b2 >> 4)) + decoderDelay,
    after: Math.max(0, (((b2 & 15) << 8) | b3) - decoderDelay),
  };
}
