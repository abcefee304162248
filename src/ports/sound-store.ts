import type { AudioFile } from './audio.ts';

/** Where the sound of recordings is kept, by the id of the recording. Raises `service_unavailable` when it does not answer. */
export interface SoundStore {
  /** Resolves with the number of bytes when they are stored for good. If `chunks` fails, nothing is kept. */
  write(id: string, chunks: AsyncIterable<Uint8Array>): Promise<number>;
  /** Undefined if there is none. The caller closes it. */
  open(id: string): Promise<(AudioFile & { close(): Promise<void> }) | undefined>;
  /** These bytes, one chunk after another. */
  read(id: string, range: { start: number; end: number }): AsyncIterable<Uint8Array>;
  /** One that is not there is no error. */
  remove(id: string): Promise<void>;
  /** The ids of all sounds. */
  list(): AsyncIterable<string>;
}
