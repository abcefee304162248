/** Apple's lossless codec. mediabunny finds its packets in an MP4, but neither knows its name nor writes it. */
export const alacId = 'alac';

const cookieBytes = 24;

/** What the decoder must know: the box `alac` in the description of the track, after its size, name and version. */
export async function readAlacCookie(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const name = Buffer.from([0, 0, 0, 12 + cookieBytes, ...Buffer.from(alacId), 0, 0, 0, 0]);
  for await (const part of parts) {
    const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    const at = bytes.indexOf(name);
    if (at >= 0 && at + 12 + cookieBytes <= bytes.length)
      return bytes.subarray(at + 12, at + 12 + cookieBytes);
  }
  throw new Error('no description of the codec');
}

/** Packets as a small MP4: the boxes of ISO 14496-12 that a reader cannot do without, then the packets in one chunk. */
export function alacFile(packets: readonly Uint8Array[], cookie: Uint8Array): Uint8Array {
  const told = Buffer.from(cookie);
  const [samplesPerPacket, bits, channels, rate] = [
    told.readUInt32BE(0),
    told.readUInt8(5),
    told.readUInt8(9),
    told.readUInt32BE(20),
  ];
  const length = packets.length * samplesPerPacket;
  const entry = [
    numbers(0, 1, 0, 0),
    shorts(channels, bits, 0, 0),
    numbers(rate < 65_536 ? rate * 65_536 : 0),
  ];
  const movie = (offset: number) =>
    box(
      'moov',
      box('mvhd', numbers(0, 0, 0, rate, length, 0x1_0000), zeros(76)),
      box(
        'trak',
        box('tkhd', numbers(3, 0, 0, 1, 0, length), zeros(60)),
        box(
          'mdia',
          box('mdhd', numbers(0, 0, 0, rate, length, 0)),
          box('hdlr', numbers(0, 0), Buffer.from('soun'), zeros(13)),
          box(
            'minf',
            box('smhd', zeros(8)),
            box(
              'stbl',
              box('stsd', numbers(0, 1), box(alacId, ...entry, box(alacId, numbers(0), told))),
              box('stts', numbers(0, 1, packets.length, samplesPerPacket)),
              box('stsc', numbers(0, 1, 1, packets.length, 1)),
              box('stsz', numbers(0, 0, packets.length, ...packets.map((packet) => packet.length))),
              box('stco', numbers(0, 1, offset)),
            ),
          ),
        ),
      ),
    );
  const type = box('ftyp', Buffer.from('M4A \0\0\0\0M4A ', 'latin1'));
  return Buffer.concat([type, movie(type.length + movie(0).length + 8), box('mdat', ...packets)]);
}

const zeros = (count: number) => Buffer.alloc(count);

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, i * 4);
  return bytes;
}

function shorts(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [i, value] of values.entries()) bytes.writeUInt16BE(value, i * 2);
  return bytes;
}

function box(name: string, ...parts: readonly Uint8Array[]): Buffer {
  const size = 8 + parts.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([numbers(size), Buffer.from(name, 'latin1'), ...parts]);
}
