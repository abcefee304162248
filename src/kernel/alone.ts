import { setImmediate as nextTurn } from 'node:timers/promises';
import { serviceUnavailable } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import { createGate, GateClosed } from '../lib/gate.ts';
import { createTurns } from '../lib/turns.ts';

/** People whose rows are stored at once: each takes a connection to the database, and other requests need some too. */
const maxAtOnce = 4;
const maxWaiting = 1_000;
const maxWaitMs = 30_000;

/**
 * Reading and storing 100 rows takes about 20 ms of this process. Before the next hundred of the same person, other requests
 * have their turn. Raises `service_unavailable` if many people send many rows at once.
 */
export function createAlone() {
  const inTurn = createTurns();
  const gate = createGate({ most: maxAtOnce, maxWaiting, maxWaitMs });
  return <Result>({ userId }: Principal, work: () => Promise<Result>): Promise<Result> =>
    inTurn(userId, () =>
      gate(async () => {
        await nextTurn();
        return work();
      }),
    ).catch((cause: unknown) => {
      if (cause instanceof GateClosed) throw tooMany(cause);
      throw cause;
    });
}

const tooMany = (cause: GateClosed) =>
  serviceUnavailable('Many people send many rows now. Try again in a moment.', {
    retryAfterSeconds: 5,
    cause,
  });
