import type { FastifyRequest } from 'fastify';
import type { AuditAct, Circumstances } from '../domain/audit.ts';
import type { Principal } from '../domain/principal.ts';
import { recordAs } from '../platform/database/audit.ts';
import { completeKey } from '../platform/database/idempotency.ts';
import type { Charge } from '../platform/http/access.ts';
import type { ExplainError } from '../platform/http/errors.ts';
import type { EventStreams } from '../platform/http/event-stream.ts';
import { type Actor, Answered, type CommandContext, type Context, type GatheredContext } from './context.ts';
import type { Operation } from './operation.ts';
import { Narrowed } from './request-context.ts';

export interface Kernel extends Actor {
  readonly charge: Charge;
  readonly streams: EventStreams;
  /** The caller of a request as their credential is now; undefined once it works no more. */
  whoNow(request: FastifyRequest): Promise<Principal | undefined>;
  readonly explainError: ExplainError;
  /** One bulk request of a person at a time, and few of all people. */
  alone<Result>(who: Principal, work: () => Promise<Result>): Promise<Result>;
}

const never = new AbortController().signal;

/** A context for work that no request asks for: a job, or a command of the operator. */
export const contextFor = <Who>({ database, clock, newId, parts }: Actor, who: Who): Context<Who> => ({
  db: database.db,
  database,
  who,
  now: new Date(clock()).toISOString(),
  newId,
  signal: never,
  origin: parts.config.publicUrl.replace(/\/+$/, ''),
  parts,
});

/** What a stream has of its context, without a request: nothing is told while it is made. */
export function asProgram<Who>(actor: Actor, who: Who) {
  const context = contextFor(actor, who);
  return {
    ...context,
    act: <Result>(
      work: (context: CommandContext<Who>) => Promise<Result>,
      options: { locks?: boolean } = {},
    ) => act(context, options, work),
    tell: async () => {},
  };
}

/** The circumstances of an act that no request asked for. */
export const atTheCommandLine = (now: string): Circumstances => ({
  created_at: now,
  actor_id: null,
  via: 'command line',
  key_id: null,
  address: null,
  request_id: null,
});

interface Write {
  /** Who acts and from where, for the audit log; by default a person at the command line. */
  readonly circumstances?: Circumstances;
  /** What may be written there; by default any act. */
  readonly audits?: readonly AuditAct[] | undefined;
  /** Whether the transaction locks the rows that it builds on (`database.writeLocked`). */
  readonly locks?: boolean | undefined;
  /** The row that many may want to lock. */
  readonly rowId?: string | undefined;
}

/**
 * Runs work in one transaction: what it writes and its lines in the audit log are on disk together, or not at all. What it
 * leaves for `afterCommit` runs once they are.
 */
export async function act<Who, Result>(
  context: Context<Who>,
  { circumstances = atTheCommandLine(context.now), audits, locks = false, rowId }: Write,
  work: (context: CommandContext<Who>) => Promise<Result>,
): Promise<Result> {
  const record = recordAs(circumstances);
  let later: (() => unknown)[] = [];
  const result = await context.database[locks ? 'writeLocked' : 'write'](async (tx) => {
    // Empty again when the transaction runs again.
    later = [];
    const own: Pick<CommandContext, 'tx' | 'audit' | 'afterCommit'> = {
      tx,
      async audit(act) {
        if (audits && !audits.includes(act.act))
          throw new Error(`${act.act} is not among the declared acts.`);
        await record(tx, act);
      },
      afterCommit: (work) => later.push(work),
    };
    return work(Object.assign(new Narrowed(context, tx), own));
  }, rowId);
  for (const work of later) await work();
  return result;
}

/** Runs a command; the completion of its Idempotency-Key is in its transaction. */
export async function carryOut(
  operation: Operation,
  context: Context,
  input: object,
  circumstances: Circumstances,
  { claim }: Pick<FastifyRequest, 'claim'>,
): Promise<unknown> {
  const { once, prepare, locks, declaration } = operation;
  const prepared = prepare ? await prepare(context, input) : undefined;
  const { id } = Object(input);
  const write = { circumstances, audits: declaration.audit ?? [], locks, rowId: locks && id };
  return act(context, write, async (context) => {
    // A command uses nothing of a stream; its declaration types it so.
    const answer = await operation.run(
      context as Parameters<Operation['run']>[0],
      prepare ? { ...input, prepared } : input,
    );
    const data = answer instanceof Answered ? answer.data : answer;
    if (claim && once) await completeKey(context.tx, claim, once.keep(data));
    return answer;
  });
}

/** Runs a gathered write. */
export const carryOutGathered = (
  operation: Operation,
  context: Context,
  input: object,
  claimed: Pick<FastifyRequest, 'claim'>,
): Promise<unknown> =>
  // It uses nothing else; its declaration types it so.
  operation.run(
    Object.assign(context, { complete: completionOf(claimed) }) as unknown as Parameters<Operation['run']>[0],
    input,
  );

/** Completes the Idempotency-Key of a request; undefined without one. */
export const completionOf = ({ claim }: Pick<FastifyRequest, 'claim'>): GatheredContext['complete'] =>
  claim ? (db, made) => completeKey(db, claim, made) : undefined;
