import type { PartialTranscript, Recording } from '../../domain/recording.ts';
import type { AudioDecoder } from '../../engines/ports/audio.ts';
import type { Transcriber } from '../../engines/ports/transcriber.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import type { Actor } from '../../kernel/context.ts';
import type { Signals } from '../../lib/signals.ts';
import type { AudioStore } from '../../platform/audio-store/audio-store.ts';
import type { ServerSentEvent } from '../../platform/http/event-stream.ts';

/** What a server transcribes recordings with. */
export interface Engine extends Actor {
  readonly audioStore: AudioStore;
  readonly decoder: AudioDecoder;
  readonly transcriber: Transcriber;
  readonly signals: Signals<PartialTranscript>;
}

/** A request that goes on with an upload. */
interface Writer {
  stop: AbortController;
  ended: Promise<void>;
}

/** What a server takes recordings in with, and what it does at the moment. */
export interface Recorder extends Engine {
  readonly worker: { wake(): void; cancel(id: string): void };
  /** Uploads that arrive now in one request. */
  readonly receiving: Set<string>;
  /** The requests that go on with an upload now. */
  readonly writers: Map<string, Writer>;
  /** How loud the recording is. Raises `not_found`, and `service_unavailable` when too many wait. */
  waveformOf(recording: Recording): Promise<Uint8Array>;
  /**
   * What happens to a recording from now on, and its words from a position on. Ends with the work, when the recording is
   * deleted, or with the signal, which must come.
   */
  follow(
    recording: Authorized<Recording>,
    from: number,
    signal: AbortSignal,
  ): Promise<AsyncIterable<ServerSentEvent>>;
}

declare module '../../kernel/parts.ts' {
  interface Parts {
    /** Only a running server has it. */
    recorder(): Recorder;
  }
}

export const timeOf = ({ clock }: Pick<Actor, 'clock'>) => new Date(clock()).toISOString();
