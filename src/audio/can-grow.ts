import { oggCodec } from './ogg-packets.ts';
import { sniffAudio } from './sniff.ts';

/** Whether a file that begins so can be decoded while it is still written. */
export function isStreamable(head: Uint8Array): boolean {
  switch (sniffAudio(head)) {
    case 'webm':
    case 'aac':
      return true;
    case 'ogg':
      return oggCodec(head) === 'other';
    case 'mp4':
      return isFragmented(Buffer.from(head.buffer, head.byteOffset, head.length));
    default:
      return false;
  }
}

const boxHeadBytes = 8;

/** Browsers say in the box `mvex` of `moov` that fragments follow. Without it, the samples are found only when the end is there. */
function isFragmented(head: Buffer): boolean {
  for (let at = 0; at + boxHeadBytes <= head.length; ) {
    const type = head.toString('latin1', at + 4, at + boxHeadBytes);
    const size = head.readUInt32BE(at);
    if (type === 'mvex') return true;
    if (size < boxHeadBytes || type === 'mdat') return false;
    at += type === 'moov' ? boxHeadBytes : size;
  }
  return false;
}
