import { AppError } from '../../src/domain/errors.ts';
import type { Principal } from '../../src/domain/principal.ts';
import type { StreamContext } from '../../src/kernel/context.ts';
import type { Operation } from '../../src/kernel/operation.ts';
import {
  atTheCommandLine,
  carryOut,
  carryOutGathered,
  contextFor,
  act as inOne,
} from '../../src/kernel/run.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Claim } from '../../src/platform/database/idempotency.ts';
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
    if (operation.kind === 'gathered')
      return await carryOutGathered(operation, context, input, { claim: claim ?? null });
    if (operation.kind === 'stream') {
      const ownAct: StreamContext['act'] = (work, options) => inOne(context, { ...options }, work);
      // It uses nothing of the wire.
      return await operation.run({ ...context, act: ownAct } as Parameters<Operation['run']>[0], input);
    }
    return await carryOut(operation, context, input, atTheCommandLine(now), { claim: claim ?? null });
  } catch (cause) {
    if (cause instanceof AppError) return cause.code;
    throw cause;
  }
}
