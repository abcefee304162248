import type { AudioFile } from './audio.ts';

/** Where the sound of recordings is kept, by the id of the recording. Raises `service_unavailable` when it does not answer. */
export interface SoundStore {
  /**
   * Stores the chunks from `offset` on, and forgets what may be there already. `saved` hears, now and then and at the end, how
   * many bytes the sound has for good; what it raises ends the call. If `chunks` fails, what came before is saved first.
   */
  append(
    id: string,
    offset: number,
    chunks: AsyncIterable<Uint8Array>,
    saved: (bytes: number) => Promise<void>,
  ): Promise<void>;
  /** The sound, of which so many bytes count. Undefined if there is none. The caller closes it. */
  open(id: string, size: number): Promise<(AudioFile & { close(): Promise<void> }) | undefined>;
  /** These bytes, one chunk after another. */
  read(id: string, range: { start: number; end: number }): AsyncIterable<Uint8Array>;
  /** One that is not there is no error. */
  remove(id: string): Promise<void>;
  /** All sounds, with their sizes. */
  list(): AsyncIterable<{ id: string; bytes: number }>;
  /** What is under way fails, so that nothing keeps the process from ending. */
  close(): void;
}
