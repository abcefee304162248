/** What the first request with a key made: the id of the resource, and those fields of the answer that no later read gives. */
export interface Made {
  id: string;
  kept: object;
}

/** The row of a key whose request succeeded: the fingerprint of the request, and what it made, sealed for its caller. */
export interface CompletedKey {
  fingerprint: string;
  answer: string;
}

/** A running request that holds a key. */
export interface Claim {
  readonly id: string;
  complete(made: Made): CompletedKey;
}

/**
 * Requests with an Idempotency-Key. The key is completed in the transaction that creates the resource
 * (docs/decisions/0062-idempotency.md).
 */
export interface IdempotencyStore {
  /** Claims the key for this request. `in flight`: the first request with it is still running. */
  begin(
    claim: { id: string; caller: string; route: string; keyHash: string; expiresAt: string },
    now: string,
  ): Promise<'begun' | 'in flight' | CompletedKey>;
  /** The request has ended. If it failed, its key is free again, unless it was completed before the failure. */
  end(id: string, hasFailed: boolean): Promise<void>;
}
