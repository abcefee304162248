import type { AudioFile } from '../../engines/ports/audio.ts';

/** Keeps the audio of recordings, by the id of the recording. Raises `service_unavailable` when it does not answer. */
export interface AudioStore {
  /**
   * Stores the pieces from `offset` on, and replaces whatever is there already. Calls `saved` now and then, and at the end, with
   * the number of bytes that are durable; an error of `saved` ends the call. If `chunks` fails, what came before is saved first.
   */
  append(
    id: string,
    offset: number,
    chunks: AsyncIterable<Uint8Array>,
    saved: (bytes: number) => Promise<void>,
  ): Promise<void>;
  /** The audio, of which only the first `size` bytes count. Undefined if there is none. The caller closes it. */
  open(id: string, size: number): Promise<(AudioFile & { close(): Promise<void> }) | undefined>;
  /** These bytes, one chunk after another. Raises `not_found`, and `service_unavailable` if the audio ends before them. */
  read(id: string, range: { start: number; end: number }): AsyncIterable<Uint8Array>;
  /** Missing audio is no error. */
  remove(id: string): Promise<void>;
  /** All audio in the store, with sizes. */
  list(): AsyncIterable<{ id: string; bytes: number }>;
  /** Running calls fail, so that nothing keeps the process from ending. */
  close(): void;
}
