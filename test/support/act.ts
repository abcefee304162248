import { AppError } from '../../src/domain/errors.ts';
import type { Principal } from '../../src/domain/principal.ts';
import type { Operation } from '../../src/kernel/operation.ts';
import { atTheCommandLine, carryOut, contextFor } from '../../src/kernel/run.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import type { Claim } from '../../src/ports/idempotency-store.ts';
import type { Database } from '../../src/store/database.ts';
import { testParts } from './parts.ts';
import { principalOf } from './principal.ts';

interface Call {
  /** Whose key calls, or with what else. */
  userId: string;
  who?: Principal;
  now: string;
  newId?: () => string;
  claim?: Claim;
}

/** Runs an operation without HTTP. Resolves to its answer, or to the code of its refusal. */
export async function act(
  database: Database,
  operation: Operation,
  { userId, who = principalOf(userId), now, newId = newUuid, claim }: Call,
  input: object,
): Promise<unknown> {
  const context = {
    ...contextFor({ database, clock: () => Date.parse(now), newId, parts: testParts(database) }, who),
    now,
  };
  try {
    return await carryOut(operation, context, input, atTheCommandLine(now), { claim: claim ?? null });
  } catch (cause) {
    if (cause instanceof AppError) return cause.code;
    throw cause;
  }
}
