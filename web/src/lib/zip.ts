const crcOfByte = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

const crc32 = (bytes: Uint8Array) =>
  ~bytes.reduce((crc, byte) => (crc >>> 8) ^ (crcOfByte[(crc ^ byte) & 0xff] ?? 0), ~0);

const two = (value: number) => [value & 0xff, (value >>> 8) & 0xff];
const four = (value: number) => [...two(value), ...two(value >>> 16)];
const signature = { file: four(0x04034b50), inDirectory: four(0x02014b50), end: four(0x06054b50) };
const version = two(20);
const namesAreUtf8 = two(0x0800);
const notCompressed = two(0);
/** The first of January 1980. A reader takes the Unix time that stands behind the name. */
const dosTime = four(0x00210000);

/** A zip of these files with their times. */
export async function zipOf(files: readonly File[]): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: number[] = [];
  let position = 0;
  for (const file of files) {
    const content = new Uint8Array(await file.arrayBuffer());
    const name = new TextEncoder().encode(file.name);
    const time = [...two(0x5455), ...two(5), 1, ...four(file.lastModified / 1000)];
    const size = four(content.length);
    const lengths = [...two(name.length), ...two(time.length)];
    const stored = [...version, ...namesAreUtf8, ...notCompressed, ...dosTime];
    const about = [...stored, ...four(crc32(content)), ...size, ...size, ...lengths];
    const head = Uint8Array.from([...signature.file, ...about, ...name, ...time]);
    const place = [...new Array(10).fill(0), ...four(position)];
    directory.push(...signature.inDirectory, ...version, ...about, ...place, ...name, ...time);
    parts.push(head, content);
    position += head.length + content.length;
  }
  const count = two(files.length);
  const sizes = [...count, ...count, ...four(directory.length), ...four(position)];
  const end = [...directory, ...signature.end, ...four(0), ...sizes, ...two(0)];
  return new Blob([...parts, Uint8Array.from(end)], { type: 'application/zip' });
}
