import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChangeEvent,
  type ChangeType,
  decodeChangeCursor,
  encodeChangeCursor,
  isBefore,
  isOfResource,
  type LoggedChange,
  scopesToSee,
  tooOld,
} from '../domain/change.ts';
import { AppError } from '../domain/errors.ts';
import { reachOf } from '../domain/owner.ts';
import type { Principal } from '../domain/principal.ts';
import { dayMs } from '../domain/rate-limit.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { ownerOf } from './owners.ts';

export interface ListChangesOptions {
  since?: string | undefined;
  limit: number;
  type?: ChangeType | undefined;
  space_id?: string | undefined;
}

export type Changes = ReturnType<typeof createChanges>;

interface Dependencies {
  store: Store;
  clock: Clock;
  keptDays: number;
}

/** With `jobs`, steps of recordings and language jobs are told too. */
type ToldChange = Omit<ChangeEvent, 'type' | 'action'> & Pick<LoggedChange, 'type' | 'action'>;

const lookEveryMs = 1_000;
const eventsPerRead = 200;

const maySee = ({ scopes }: Principal, type: LoggedChange['type'], wanted: ChangeType | undefined) =>
  (wanted === undefined || type === wanted) && scopesToSee[type].some((scope) => scopes.includes(scope));

/** Undefined if the caller no longer reaches the space. */
function endOfReach(cause: unknown): undefined {
  if (!(cause instanceof AppError) || cause.code !== 'not_found') throw cause;
}

/** What was created, updated and deleted, in one order that never skips (docs/decisions/0091-changes.md). */
export function createChanges({ store, clock, keptDays }: Dependencies) {
  const timeline = () => store.installation.valueOf('changes_timeline', randomUUID());

  return {
    /**
     * The changes after `since`, the oldest first, of the types that the key may read. Without `since` there are none, and the
     * cursor stands for now. A page may have fewer than `limit`, even none, although more follow.
     * Raises `validation_error` for a bad cursor, one that is too old, or a bad space_id, and `not_found` for a space of another workspace.
     */
    async list(principal: Principal, { since, limit, type, space_id }: ListChangesOptions) {
      const { ownerId } = await ownerOf(store.spaces, principal, space_id);
      const name = await timeline();
      if (since === undefined) {
        const next_cursor = encodeChangeCursor(name, await store.changes.end());
        return { data: [], has_more: false, next_cursor };
      }
      const after = decodeChangeCursor(name, since);
      const end = await store.changes.end();
      const rows = await store.changes.read(ownerId, after, limit + 1);
      // Checked after reading, so that rows deleted before the read are noticed.
      const forgotten = await store.changes.forgotten();
      if (forgotten && isBefore(after, forgotten)) throw tooOld(forgotten.at);
      const page = rows.slice(0, limit);
      const data = page.filter(isOfResource).filter((change) => maySee(principal, change.type, type));
      const has_more = rows.length > limit;
      const last = page.at(-1) ?? after;
      // A client that has seen everything continues from the end, so a cursor gets too old only if nobody uses it.
      const next = !has_more && isBefore(last, end) ? end : last;
      return { data, has_more, next_cursor: encodeChangeCursor(name, next) };
    },

    /**
     * The changes after `since`, or from now on, of everything that the caller reaches, or of one space. `principal` is asked
     * before each look: without a credential that works, and outside of the space, the events end. Raises what `list` raises.
     */
    async follow(
      principal: () => Promise<Principal | undefined>,
      { since, type, space_id, jobs = false }: Omit<ListChangesOptions, 'limit'> & { jobs?: boolean },
      signal: AbortSignal,
    ): Promise<AsyncGenerator<{ cursor: string; change: ToldChange | null }>> {
      const name = await timeline();
      const ownersNow = async (caller: Principal) => {
        if (space_id === undefined) return store.changes.ownersIn(reachOf(caller));
        return [(await ownerOf(store.spaces, caller, space_id)).ownerId];
      };
      const first = await principal();
      if (first) await ownersNow(first);
      let after = since === undefined ? await store.changes.end() : decodeChangeCursor(name, since);
      const forgotten = await store.changes.forgotten();
      if (forgotten && isBefore(after, forgotten)) throw tooOld(forgotten.at);

      async function* events() {
        yield { cursor: encodeChangeCursor(name, after), change: null };
        let marks = '';
        while (!signal.aborted) {
          const caller = await principal();
          const owners = caller && (await ownersNow(caller).catch(endOfReach));
          if (!caller || !owners) return;
          const found = await Promise.all(owners.map((owner) => store.changes.mark(owner)));
          const seen = JSON.stringify([owners, found]);
          const isSame = seen === marks && !found.includes(undefined);
          marks = seen;
          const end = isSame ? after : await store.changes.end();
          const rows = isSame ? [] : await store.changes.readEvents(owners, after, eventsPerRead);
          for (const { tx, seq, owner_id, ...row } of rows) {
            after = { tx, seq };
            if ((!jobs && !isOfResource(row)) || !maySee(caller, row.type, type)) continue;
            const space = owner_id === caller.userId ? null : owner_id;
            yield { cursor: encodeChangeCursor(name, after), change: { ...row, space_id: space } };
          }
          if (rows.length === eventsPerRead) marks = '';
          else {
            if (isBefore(after, end)) after = end;
            await sleep(lookEveryMs, undefined, { signal }).catch(() => {
              // The stream has ended, which the loop sees.
            });
          }
        }
      }
      return events();
    },

    /** For the housekeeping. */
    forgetOld(): Promise<void> {
      const iso = (ms: number) => new Date(ms).toISOString();
      return store.changes.forget(iso(clock() - keptDays * dayMs), iso(clock()));
    },
  };
}
