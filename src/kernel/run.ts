import type { FastifyRequest } from 'fastify';
import type { Principal } from '../domain/principal.ts';
import type { Charge } from '../http/access.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import { recorder } from '../store/audit.ts';
import type { Database } from '../store/database.ts';
import { completeKey } from '../store/idempotency.ts';
import type { Context, Operation } from './operation.ts';

export interface Kernel {
  readonly database: Database;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly charge: Charge;
  /** One bulk request of a person at a time, and few of all people. */
  alone<Result>(who: Principal, work: () => Promise<Result>): Promise<Result>;
}

/**
 * Runs a command in one transaction: what it writes, its lines in the audit log and the completion of its Idempotency-Key are
 * on disk together, or not at all.
 */
export async function carryOut(
  { database }: Kernel,
  operation: Operation,
  context: Context,
  input: object,
  { claim }: Pick<FastifyRequest, 'claim'>,
): Promise<unknown> {
  const { who, now, newId } = context;
  const record = recorder();
  let later: (() => void)[] = [];
  const answer = await database.write(async (tx) => {
    // Empty again when the transaction runs again.
    later = [];
    const answer = await operation.run(
      {
        db: tx,
        tx,
        who,
        now,
        newId,
        get signal() {
          return context.signal;
        },
        audit: (act) => record(tx, act),
        afterCommit: (work) => later.push(work),
      },
      input,
    );
    if (claim && operation.once) await completeKey(tx, claim, operation.once.keep(answer));
    return answer;
  });
  for (const work of later) work();
  return answer;
}
