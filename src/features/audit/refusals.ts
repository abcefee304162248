import type { RefusedAct } from '../../domain/audit.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { networkOf } from '../../lib/network.ts';
import { saveLater } from '../../lib/saver.ts';
import type { Database } from '../../platform/database/database.ts';
import { addRefusals, type Refusals } from './queries.ts';

const hourMs = 3_600_000;
const saveEveryMs = 15_000;
/** For each act and hour, in memory and in the database. More addresses are counted together. */
const maxAddresses = 1_000;

interface Dependencies {
  clock: Clock;
  log: Log;
  /** Writes the counts; raises if the database does not. */
  add(refusals: readonly Refusals[], maxRows: number): Promise<void>;
}

/** How `compose` writes them. */
export const addTo =
  (database: Database): Dependencies['add'] =>
  (refusals, maxRows) =>
    database.write((tx) => addRefusals(tx, refusals, maxRows));

/** Counts sign-ins and credentials that did not work: in memory until the next save, so that guesses cause no writes. */
export function countRefusals({ clock, log, add }: Dependencies) {
  const refusals = new Map<string, Refusals>();
  const saver = saveLater(refusals, {
    everyMs: saveEveryMs,
    log,
    what: 'how many sign-ins were refused',
    save: (batch) => add([...batch.values()], maxAddresses),
    putBack: (_, refused) => count(refused),
  });

  function count({ act, address, hour, times }: Refusals): void {
    const isNew = !refusals.has(`${act} ${hour} ${address}`);
    const counted = isNew && refusals.size >= maxAddresses ? 'other addresses' : address;
    const name = `${act} ${hour} ${counted}`;
    const before = refusals.get(name)?.times ?? 0;
    refusals.set(name, { act, address: counted, hour, times: before + times });
  }

  return {
    refused(act: RefusedAct, address: string): void {
      const hour = new Date(clock() - (clock() % hourMs)).toISOString();
      count({ act, address: networkOf(address), hour, times: 1 });
    },
    save: saver.saveNow,
    close: saver.close,
  };
}
