import { existsSync, readFileSync } from 'node:fs';

const rate = 48_000;
const channels = 2;
const headBytes = 44;

/** In the package, and in the project. */
const folder = ['./sound/', '../test/fixtures/audio/'].find((path) =>
  existsSync(new URL(path, import.meta.url)),
);

/** The same 11 seconds of speech in each format. */
export const recording = (format: string) => readFileSync(new URL(`${folder}jfk.${format}`, import.meta.url));

/** A WAV file of silence that is exactly so many bytes long. */
export function silentWav(bytes: number): Buffer {
  const file = Buffer.alloc(bytes);
  file.write('RIFF', 0);
  file.writeUInt32LE(bytes - 8, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(channels, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * channels * 2, 28);
  file.writeUInt16LE(channels * 2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(bytes - headBytes, 40);
  return file;
}

export const durationMs = (bytes: number) => Math.round(((bytes - headBytes) / (rate * channels * 2)) * 1000);

/** A form with the file, under a name and a type that say nothing. */
export function formOf(file: Uint8Array | undefined, fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  // A copy: the DOM's types want memory that is not shared.
  if (file)
    form.append(
      'file',
      new Blob([new Uint8Array(file)], { type: 'application/octet-stream' }),
      'recording.bin',
    );
  return form;
}
