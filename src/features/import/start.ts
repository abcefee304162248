import { serviceUnavailable } from '../../domain/errors.ts';
import type { AudioDecoder } from '../../engines/ports/audio.ts';
import { createGate, type Gate } from '../../lib/gate.ts';

/** The imports of this process, from their start to the end of the server. */
export interface Imports {
  /** Recordings whose audio is being stored, and promises of storage. */
  readonly storing: Set<string>;
  readonly identify: AudioDecoder['identify'];
  /** `work` gets a signal that also aborts when the server ends. Raises `service_unavailable` if it has ended. */
  run<Result>(client: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Only some write at once, in the order they came. */
  readonly inTurn: Gate;
  /** Ends what runs, and takes no more. */
  close(): Promise<void>;
}

declare module '../../kernel/parts.ts' {
  interface Parts {
    readonly imports: Imports;
  }
}

/** Each has a thread. */
const maxAtOnce = 4;

export function startImports(identify: AudioDecoder['identify'], most = maxAtOnce): Imports {
  const end = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    storing: new Set(),
    identify,
    inTurn: createGate({ most }),
    async run(client, work) {
      end.signal.throwIfAborted();
      const result = work(AbortSignal.any([client, end.signal]));
      // The caller gets the fault.
      const over: Promise<unknown> = result.catch(() => {}).finally(() => running.delete(over));
      running.add(over);
      return result;
    },
    async close() {
      end.abort(
        serviceUnavailable('The server cannot do your import now. Try again in a minute.', {
          retryAfterSeconds: 60,
        }),
      );
      await Promise.all(running);
    },
  };
}
