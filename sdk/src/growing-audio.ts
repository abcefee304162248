/** Audio that may still grow. */
export interface AudioSource {
  readonly size: number;
  readonly isEnded: boolean;
  slice(start: number, end: number): Blob;
  /** Resolves when there are more bytes than this, when it has ended, or after some time. */
  moreThan(bytes: number, longestMs: number): Promise<void>;
}

export interface GrowingAudio extends AudioSource {
  add(part: Blob): void;
  end(): void;
}

export function createGrowingAudio(given: readonly Blob[] = [], isEnded = false): GrowingAudio {
  const parts = [...given];
  let size = parts.reduce((sum, part) => sum + part.size, 0);
  let ended = isEnded;
  const waiting = new Set<() => void>();
  const tell = () => {
    for (const wake of waiting) wake();
  };
  return {
    get size() {
      return size;
    },
    get isEnded() {
      return ended;
    },
    slice(start, end) {
      const wanted: Blob[] = [];
      let at = 0;
      for (const part of parts) {
        if (at < end && at + part.size > start) wanted.push(part.slice(Math.max(0, start - at), end - at));
        at += part.size;
      }
      return new Blob(wanted);
    },
    add(part) {
      parts.push(part);
      size += part.size;
      tell();
    },
    end() {
      ended = true;
      tell();
    },
    async moreThan(bytes, longestMs) {
      const until = performance.now() + longestMs;
      while (!ended && size <= bytes && performance.now() < until) {
        const { promise, resolve } = later();
        waiting.add(resolve);
        const timer = setTimeout(resolve, until - performance.now());
        await promise;
        clearTimeout(timer);
        waiting.delete(resolve);
      }
    },
  };
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function later(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
