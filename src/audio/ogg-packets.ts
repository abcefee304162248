const headBytes = 27;

/** The packets of the first stream of an OGG file (RFC 3533), one after another. A page that is none ends it. */
export function* oggPackets(file: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let stream: number | null = null;
  let begun: Uint8Array[] = [];
  for (let at = 0; at + headBytes <= file.length && view.getUint32(at) === 0x4f_67_67_53; ) {
    const serial = view.getUint32(at + 14, true);
    const sizes = file.subarray(at + headBytes, at + headBytes + view.getUint8(at + 26));
    stream ??= serial;
    let from = at + headBytes + sizes.length;
    for (const size of sizes) {
      if (serial === stream) {
        begun.push(file.subarray(from, from + size));
        // A packet ends with a part that is not full.
        if (size < 255) {
          yield Buffer.concat(begun);
          begun = [];
        }
      }
      from += size;
    }
    at = from;
  }
}

/** What the first packet says: `\x7fFLAC`, `Speex   `, `OpusHead`, `\x01vorbis`. */
export function oggCodec(file: Uint8Array): 'flac' | 'speex' | 'other' {
  const [first] = oggPackets(file);
  const mark = Buffer.from(first?.subarray(0, 8) ?? []).toString('latin1');
  if (mark.startsWith('\x7fFLAC')) return 'flac';
  return mark.startsWith('Speex') ? 'speex' : 'other';
}

/** The packets are the blocks and frames of a FLAC file; the first has nine bytes more (RFC 9639, 10.1). */
export function unwrapFlac(file: Uint8Array): Uint8Array {
  const [first, ...rest] = oggPackets(file);
  if (!first) throw new Error('no packets');
  return Buffer.concat([first.subarray(9), ...rest]);
}
