import { EncodedPacket } from 'mediabunny';
import { mp3FrameLength, skipId3 } from './sniff.ts';

const frameHeadBytes = 4;
/** The tag of an encoder stands this early in a frame without sound. */
const searchedBytes = 64;

/** The frames of an MP3 as soon as they are there. mediabunny looks 64 KiB ahead for each: four seconds of sound. */
export async function* mp3Frames(
  parts: AsyncIterable<Uint8Array>,
  secondsPerFrame: number,
): AsyncGenerator<EncodedPacket> {
  let held = Buffer.alloc(0);
  let skipped = -1;
  let frames = 0;
  for await (const part of parts) {
    held = Buffer.concat([held, part]);
    if (skipped < 0) skipped = skipId3(held);
    let at = Math.min(skipped, held.length);
    skipped -= at;
    while (at + frameHeadBytes <= held.length) {
      const length = mp3FrameLength(held, at);
      // A frame is followed by another: noise may look like one.
      const next = at + length;
      if (length > 0 && next + frameHeadBytes > held.length) break;
      if (length === 0 || (mp3FrameLength(held, next) === 0 && !isTag(held, next))) {
        at += 1;
        continue;
      }
      const frame = held.subarray(at, next);
      if (!isEncoderTag(frame))
        yield new EncodedPacket(frame, 'key', frames++ * secondsPerFrame, secondsPerFrame);
      at = next;
    }
    held = held.subarray(at);
  }
  // The last one has none after it.
  if (mp3FrameLength(held, 0) === held.length && held.length > 0)
    yield new EncodedPacket(held, 'key', frames * secondsPerFrame, secondsPerFrame);
}

/** Files may be joined, with the tags of each. */
const isTag = (bytes: Buffer, at: number) => ['ID3', 'TAG'].includes(bytes.toString('latin1', at, at + 3));

function isEncoderTag(frame: Buffer): boolean {
  const start = frame.toString('latin1', 0, searchedBytes);
  return start.includes('Xing') || start.includes('Info');
}
