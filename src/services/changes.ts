import { randomUUID } from 'node:crypto';
import {
  type Change,
  type ChangePosition,
  type ChangeType,
  changeTypes,
  decodeChangeCursor,
  encodeChangeCursor,
  isBefore,
  scopesToSee,
  tooOld,
} from '../domain/change.ts';
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
      const seen = changeTypes.filter(
        (one) =>
          (type === undefined || one === type) &&
          scopesToSee[one].some((scope) => principal.scopes.includes(scope)),
      );
      const data = page.filter(
        (change): change is Change & ChangePosition =>
          change.type !== 'recording' && seen.includes(change.type),
      );
      const has_more = rows.length > limit;
      const last = page.at(-1) ?? after;
      // A client that has seen everything continues from the end, so a cursor gets too old only if nobody uses it.
      const next = !has_more && isBefore(last, end) ? end : last;
      return { data, has_more, next_cursor: encodeChangeCursor(name, next) };
    },

    /** For the housekeeping. */
    forgetOld(): Promise<void> {
      const iso = (ms: number) => new Date(ms).toISOString();
      return store.changes.forget(iso(clock() - keptDays * dayMs), iso(clock()));
    },
  };
}
