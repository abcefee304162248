import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipPart {
  path: string;
  bytes: Buffer;
  /** What the archive says about the part; the truth unless told. */
  claims?: { crc?: number; size?: number; method?: number };
}

const deflated = 8;

/** An archive that may lie about its parts, which no library writes. */
export function zipOf(parts: readonly ZipPart[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { path, bytes, claims = {} } of parts) {
    const { crc = crc32(bytes), size = bytes.length, method = deflated } = claims;
    const name = Buffer.from(path);
    const body = method === deflated ? deflateRawSync(bytes) : bytes;
    // Version 2.0, names in UTF-8, no time.
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(0x800, 2);
    about.writeUInt16LE(method, 4);
    about.writeUInt32LE(crc >>> 0, 10);
    about.writeUInt32LE(body.length, 14);
    about.writeUInt32LE(size >>> 0, 18);
    about.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), about, name, body]);
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), about, place, name);
    files.push(file);
    at += file.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(parts.length, 4);
  end.writeUInt16LE(parts.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...files, central, Buffer.from('PK\x05\x06'), end]);
}
