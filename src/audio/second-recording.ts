import type { AudioContainer } from '../domain/audio.ts';
import { BadAudio } from '../domain/speech-errors.ts';
import { ids, type MatroskaElement, matroskaElementAt } from './live-webm.ts';
import { adtsFrameLength, mp3FrameLength, skipId3, sniffAudio } from './sniff.ts';

/** How a container begins, and what stands at a place behind that: together so much that sound does not have it by chance. */
const beginnings: readonly [AudioContainer, string, number | 'anywhere', readonly string[]][] = [
  ['wav', 'RIFF', 8, ['WAVE']],
  ['wav', 'RF64', 8, ['WAVE']],
  ['aiff', 'FORM', 8, ['AIFF', 'AIFC']],
  ['caf', 'caff\0\x01', 8, ['desc']],
  ['flac', 'fLaC\0\0\0', 7, ['\x22']],
  ['ogg', 'OggS\0\x02', 28, ['OpusHead', '\x01vorbis', '\x7fFLAC', 'Speex']],
  ['webm', '\x1aE\xdf\xa3', 'anywhere', ['webm', 'matroska']],
  ['mp4', '\0\0\0', 4, ['ftyp']],
];
/** What is looked for where no length tells the place. */
const searched = ['RIFF', 'RF64', 'FORM', 'caff', 'fLaC', 'OggS', '\x1aE\xdf\xa3', 'ftyp', 'ID3'];
const lookBytes = 64;
/** MP3 and raw AAC have no header. So many frames, each where the one before it ends, are no chance. */
const provingFrames = 4;
const provingBytes = 6_000;
const id3HeadBytes = 10;
const id3v1Bytes = 128;
/** A recorder that was stopped leaves the size as it was before the first sample. */
const leastStatedBytes = 4_096;

/**
 * A decoder hears the first of two recordings in one file, and the words of the second are lost. So this goes from part
 * to part of the container, by the lengths that it states, and looks whether another recording begins where one ends:
 * what is within a part (a picture, an attachment, samples) is never looked at. It sees the bytes that are read anyway,
 * and forgets what comes out of order: it may miss a second recording, but refuses no healthy file.
 */
export function watchForSecond(head: Uint8Array) {
  const first = sniffAudio(head);
  const origin = skipId3(head);
  let at = first === null ? Number.POSITIVE_INFINITY : origin;
  let held = Buffer.alloc(0);
  let isSearching = false;
  /** Another of the same kind may follow, and is heard: joined MP3 files, or a recorder that began anew. */
  let mayGoOn = first === 'mp3' || first === 'aac' || first === 'ogg';

  function refuse(second: AudioContainer | null): void {
    if (second === null || (second === first && mayGoOn)) return;
    const names = `${first?.toUpperCase()} and ${second.toUpperCase()}`;
    throw new BadAudio(
      `The file holds two recordings, one behind the other (${names}). Send each of them by itself.`,
    );
  }

  /** The length of the part that begins here; null when nothing more is known, undefined when more of it must be seen. */
  function partLength(bytes: Buffer): number | null | undefined {
    const isStart = at === origin;
    switch (first) {
      case 'wav':
      case 'aiff':
        return isStart ? riffLength(bytes) : null;
      case 'caf':
        // Only the last may leave its length open, which is -1.
        return isStart ? 8 : bytes.readInt32BE(4) < 0 ? null : 12 + Number(bytes.readBigInt64BE(4));
      case 'mp4': {
        mayGoOn ||= bytes.toString('latin1', 4, 8) === 'moof';
        return boxLength(bytes);
      }
      case 'webm': {
        const element = matroskaElementAt(bytes, 0);
        mayGoOn ||= element?.id === ids.segment && element.end === Number.POSITIVE_INFINITY;
        return element && elementLength(element);
      }
      case 'ogg':
        // Those of all its streams stand first.
        mayGoOn &&= ((bytes[5] ?? 0) & 2) !== 0;
        return pageLength(bytes);
      case 'flac':
        if (isStart) return 4;
        isSearching = (bytes[0] ?? 0) >= 0x80;
        return 4 + bytes.readUIntBE(1, 3);
      case 'mp3':
        if (bytes.toString('latin1', 0, 3) === 'TAG') return id3v1Bytes;
        return mp3FrameLength(bytes, 0) || null;
      case 'aac':
        return adtsFrameLength(bytes, 0) || null;
      default:
        return null;
    }
  }

  /** Goes on by one part; false when it has to see more, or is at its end. */
  function step(bytes: Buffer): boolean {
    if (isSearching) {
      refuse(found(bytes));
      // The last bytes again, with those that follow.
      at += bytes.length - lookBytes + 1;
      return false;
    }
    if (at !== origin) refuse(beginningOf(bytes));
    const tags = skipId3(bytes);
    const length = tags > 0 ? tags : partLength(bytes);
    if (length === undefined) return false;
    if (length === null || !(length > 0)) {
      if (bytes.length < provingBytes) return false;
      if (at !== origin) refuse(framesAt(bytes, 0));
      at = Number.POSITIVE_INFINITY;
      return false;
    }
    at += length;
    return true;
  }

  return {
    /** Where it looks next. */
    next: () => at,
    /** Bytes of the file, in any order. Raises BadAudio. */
    see(start: number, bytes: Uint8Array): void {
      const seen = at + held.length;
      if (start > seen || start + bytes.length <= seen) return;
      const fresh = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).subarray(seen - start);
      const known = held.length === 0 ? fresh : Buffer.concat([held, fresh]);
      const from = at;
      while (from + known.length - at >= lookBytes && step(known.subarray(at - from)));
      held = Buffer.from(known.subarray(Math.min(at - from, known.length)));
    },
  };
}

function beginningOf(bytes: Buffer): AudioContainer | null {
  const text = bytes.toString('latin1', 0, lookBytes);
  const isThere = (mark: string, at: number | 'anywhere') =>
    at === 'anywhere' ? text.includes(mark) : text.startsWith(mark, at);
  const found = beginnings.find(
    ([, start, at, marks]) => text.startsWith(start) && marks.some((mark) => isThere(mark, at)),
  );
  return found?.[0] ?? null;
}

/** Frames of FLAC tell no length. They are packed so densely that no beginning stands in them by chance. */
function found(bytes: Buffer): AudioContainer | null {
  for (const mark of searched)
    for (let at = bytes.indexOf(mark, 0, 'latin1'); at !== -1; at = bytes.indexOf(mark, at + 1, 'latin1')) {
      const start = bytes.subarray(mark === 'ftyp' ? Math.max(0, at - 4) : at);
      const second =
        mark === 'ID3' && start.length > id3HeadBytes ? framesAt(start, skipId3(start)) : beginningOf(start);
      if (second) return second;
    }
  return null;
}

function framesAt(bytes: Buffer, start: number): AudioContainer | null {
  const isChain = (lengthAt: typeof mp3FrameLength) => {
    let at = start;
    for (let frames = 0; frames < provingFrames; frames++) {
      const length = lengthAt(bytes, at);
      if (length === 0) return false;
      at += length;
    }
    return true;
  };
  if (isChain(mp3FrameLength)) return 'mp3';
  return isChain(adtsFrameLength) ? 'aac' : null;
}

function riffLength(bytes: Buffer): number | null {
  const kind = bytes.toString('latin1', 0, 4);
  const isLong = kind === 'RF64';
  const stated = isLong
    ? Number(bytes.readBigUInt64LE(20))
    : kind === 'RIFF'
      ? bytes.readUInt32LE(4)
      : bytes.readUInt32BE(4);
  return stated < leastStatedBytes ? null : 8 + stated + (stated & 1);
}

function boxLength(bytes: Buffer): number | null {
  if (!/^[ -~©]{4}$/.test(bytes.toString('latin1', 4, 8))) return null;
  const size = bytes.readUInt32BE(0);
  const length = size === 1 ? Number(bytes.readBigUInt64BE(8)) : size;
  return length < 8 ? null : length;
}

/** What has an open end is entered. An id of ones only is none: a frame of MP3 begins so. */
const elementLength = ({ id, start, end }: MatroskaElement): number | null =>
  id === null || id === 0xff ? null : end === Number.POSITIVE_INFINITY ? start : end;

function pageLength(bytes: Buffer): number | null | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'OggS') return null;
  const sizesEnd = 27 + (bytes[26] ?? 0);
  if (bytes.length < sizesEnd) return undefined;
  return bytes.subarray(27, sizesEnd).reduce((sum, size) => sum + size, sizesEnd);
}
