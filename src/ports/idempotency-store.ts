/** An answer as it is kept: what was asked, and the answer sealed for who asked. */
export interface KeptAnswer {
  fingerprint: string;
  answer: string;
}

/** A request that creates something and must do so once. */
export interface Act {
  readonly id: string;
  /** Resolves once the answer is made; undefined: it is an error, and nothing is kept. */
  readonly answer: Promise<KeptAnswer | undefined>;
  /** Set when the act writes what it creates. The answer may be sent when it resolves. */
  committed?: Promise<unknown>;
}

/**
 * Requests with an Idempotency-Key. What such a request creates and its answer are one transaction
 * (docs/decisions/0062-idempotency.md).
 */
export interface IdempotencyStore {
  /** Takes the key for this act. `in flight`: the first request with it is still running. */
  begin(
    act: { id: string; caller: string; route: string; keyHash: string; expiresAt: string },
    now: string,
  ): Promise<'begun' | 'in flight' | KeptAnswer>;
  /** Runs `work`, and everything that it starts, as this act. */
  during(act: Act, work: () => void): void;
  /** Keeps an answer when the act has created nothing. */
  keep(id: string, answer: KeptAnswer): Promise<void>;
  /** The act is over. Without an answer that is kept, its key is free again. */
  end(id: string, isKept: boolean): Promise<void>;
}
