/** More of the same read than people cause: two parts of a screen that make each other ask again. */
const maxInWindow = 5;
const windowMs = 2_000;
/** Each time it goes on after a wait, the next wait is twice as long. */
const longestWaitMs = 60_000;
const calmMs = 10_000;

interface Dependencies {
  now(): number;
  /** Ends early when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  warn(message: string): void;
}

interface Reads {
  sentAt: number[];
  waitMs: number;
  heldUntil: number;
}

const lastOf = ({ sentAt, heldUntil }: Reads) => Math.max(heldUntil, sentAt.at(-1) ?? 0);

/** Resolves when the request may be sent: at once, unless the same was read five times within the last two seconds. */
export function createReadGuard({ now, wait, warn }: Dependencies) {
  const known = new Map<string, Reads>();

  return async ({ method, url, signal }: Pick<Request, 'method' | 'url' | 'signal'>): Promise<void> => {
    if (method !== 'GET') return;
    const at = now();
    for (const [other, reads] of known) if (at > lastOf(reads) + calmMs) known.delete(other);
    const reads = known.get(url) ?? { sentAt: [], waitMs: 0, heldUntil: 0 };
    known.set(url, reads);
    reads.sentAt = reads.sentAt.filter((time) => time > at - windowMs);
    if (at >= reads.heldUntil && reads.sentAt.length < maxInWindow) {
      reads.sentAt.push(at);
      return;
    }
    if (at >= reads.heldUntil) {
      // The path alone: the query may hold what the person searched for.
      if (reads.waitMs === 0) warn(`Read too often, so it is held back: ${new URL(url).pathname}`);
      reads.waitMs = Math.min(longestWaitMs, Math.max(windowMs, reads.waitMs * 2));
      reads.heldUntil = at + reads.waitMs;
    }
    await wait(reads.heldUntil - at, signal);
  };
}
