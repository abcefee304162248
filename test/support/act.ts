import { AppError } from '../../src/domain/errors.ts';
import type { Context, Operation } from '../../src/kernel/operation.ts';
import { carryOut } from '../../src/kernel/run.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import type { Claim } from '../../src/ports/idempotency-store.ts';
import type { Database } from '../../src/store/database.ts';
import { principalOf } from './principal.ts';

interface Call {
  /** Whose key calls. */
  userId: string;
  now: string;
  newId?: () => string;
  claim?: Claim;
}

/** Runs an operation without HTTP. Resolves to its answer, or to the code of its refusal. */
export async function act(
  database: Database,
  operation: Operation,
  { userId, now, newId = newUuid, claim }: Call,
  input: object,
): Promise<unknown> {
  const context: Context = {
    db: database.db,
    who: principalOf(userId),
    now,
    newId,
    signal: new AbortController().signal,
  };
  const kernel = {
    database,
    clock: Date.now,
    newId,
    charge: async () => {},
    alone: (_: unknown, work: () => Promise<never>) => work(),
  };
  try {
    return await carryOut(kernel, operation, context, input, { claim: claim ?? null });
  } catch (cause) {
    if (cause instanceof AppError) return cause.code;
    throw cause;
  }
}
