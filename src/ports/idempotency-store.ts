/** A kept answer: the fingerprint of the request, and the answer, sealed for its caller. */
export interface KeptAnswer {
  fingerprint: string;
  answer: string;
}

/** A request that must create something only once. */
export interface Act {
  readonly id: string;
  /** Resolves when there is an answer; undefined if it is an error, which is not kept. */
  readonly answer: Promise<KeptAnswer | undefined>;
  /** Set when the act writes what it creates. The answer may be sent when it resolves. */
  committed?: Promise<unknown>;
}

/**
 * Requests with an Idempotency-Key. What such a request creates and its answer are one transaction
 * (docs/decisions/0062-idempotency.md).
 */
export interface IdempotencyStore {
  /** Claims the key for this act. `in flight`: the first request with it is still running. */
  begin(
    act: { id: string; caller: string; route: string; keyHash: string; expiresAt: string },
    now: string,
  ): Promise<'begun' | 'in flight' | KeptAnswer>;
  /** Runs `work`, and everything that it starts, as this act. */
  during(act: Act, work: () => void): void;
  /** Keeps an answer if the act has created nothing. */
  keep(id: string, answer: KeptAnswer): Promise<void>;
  /** Ends the act. Unless an answer is kept, its key is free again. */
  end(id: string, isKept: boolean): Promise<void>;
}
