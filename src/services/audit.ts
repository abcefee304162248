import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AuditEvent, type AuditFilter, auditEvent, type RefusedAct } from '../domain/audit.ts';
import { type Page, type PageOptions, pageQuery, toPage } from '../domain/page.ts';
import type { Authority } from '../domain/principal.ts';
import { dayMs } from '../domain/rate-limit.ts';
import { csvLine } from '../lib/csv.ts';
import { describeFault, type Log } from '../lib/log.ts';
import { networkOf } from '../lib/network.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { requireRole } from './roles.ts';

export type Audit = ReturnType<typeof createAudit>;
export type Refused = (act: RefusedAct, address: string) => void;

const hourMs = 3_600_000;
const saveEveryMs = 15_000;
/** For each act and hour, in memory and in the database. More addresses are counted together. */
const maxAddresses = 1_000;
const rowsPerRead = 500;

interface Dependencies {
  store: Store;
  clock: Clock;
  log: Log;
  keptDays: number;
}

type Filter = Omit<AuditFilter, 'workspaceId'>;

/** Who did what. Acts write themselves (store/audit.ts); here they are read, and refused credentials are counted. */
export function createAudit({ store, clock, log, keptDays }: Dependencies) {
  const refusals = new Map<string, { act: RefusedAct; address: string; hour: string; times: number }>();
  const timer = setInterval(() => {
    save().catch((cause: unknown) =>
      log.warn(
        { fault: describeFault(cause) },
        'Could not save how many sign-ins were refused; will try again',
      ),
    );
  }, saveEveryMs).unref();

  /** In memory until the next save, so that whoever guesses causes no writes. */
  function count(act: RefusedAct, address: string, hour: string, times: number): void {
    const isNew = !refusals.has(`${act} ${hour} ${address}`);
    const counted = isNew && refusals.size >= maxAddresses ? 'other addresses' : address;
    const name = `${act} ${hour} ${counted}`;
    const before = refusals.get(name)?.times ?? 0;
    refusals.set(name, { act, address: counted, hour, times: before + times });
  }

  async function save(): Promise<void> {
    if (refusals.size === 0) return;
    const batch = [...refusals.values()];
    refusals.clear();
    try {
      await store.audit.addRefusals(batch, maxAddresses);
    } catch (cause) {
      for (const { act, address, hour, times } of batch) count(act, address, hour, times);
      throw cause;
    }
  }

  async function page(filter: AuditFilter, options: PageOptions): Promise<Page<AuditEvent>> {
    await save();
    const rows = await store.audit.list(filter, pageQuery('audit', options));
    return toPage('audit', rows, options.limit);
  }

  async function* csv(filter: AuditFilter): AsyncGenerator<string> {
    await save();
    // Loaded before the first line, so that a database that does not answer is an error, and not half a file.
    let rows = await store.audit.list(filter, { limit: rowsPerRead });
    yield csvLine(columns);
    while (true) {
      yield rows.map((row) => csvLine(columns.map((column) => row[column]))).join('');
      // There is one if this read was full.
      const last = rows[rowsPerRead - 1];
      if (!last) return;
      await nextTurn();
      rows = await store.audit.list(filter, {
        limit: rowsPerRead,
        after: { at: last.created_at, id: last.id },
      });
    }
  }

  const inWorkspace = async (authority: Authority, workspaceId: string, filter: Filter) => {
    await requireRole(store, authority, workspaceId, 'admin');
    return { ...filter, workspaceId };
  };

  return {
    /** Counts a sign-in or credential that did not work. */
    refused: ((act, address) =>
      count(
        act,
        networkOf(address),
        new Date(clock() - (clock() % hourMs)).toISOString(),
        1,
      )) satisfies Refused,

    /** For operators: of the whole server. */
    list: page,
    csv,

    /** For admins, like `csvOf`: what happened in their workspace. */
    async listOf(authority: Authority, workspaceId: string, options: Filter & PageOptions) {
      return page(await inWorkspace(authority, workspaceId, options), options);
    },
    async csvOf(authority: Authority, workspaceId: string, filter: Filter) {
      return csv(await inWorkspace(authority, workspaceId, filter));
    },

    /** For the housekeeping. */
    forgetOld: () => store.audit.forget(new Date(clock() - keptDays * dayMs).toISOString()),

    async close(): Promise<void> {
      clearInterval(timer);
      await save();
    },
  };
}

// The keys of the shape, which TypeScript does not know to be names of an event.
const columns = Object.keys(auditEvent.shape) as (keyof AuditEvent)[];
