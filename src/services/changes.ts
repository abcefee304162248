import { randomUUID } from 'node:crypto';
import {
  type Change,
  type ChangePosition,
  type ChangeType,
  changeTypes,
  decodeChangeCursor,
  encodeChangeCursor,
  scopesToSee,
} from '../domain/change.ts';
import type { Principal } from '../domain/principal.ts';
import type { Store } from '../ports/store.ts';
import { ownerOf } from './owners.ts';

export interface ListChangesOptions {
  since?: string | undefined;
  limit: number;
  type?: ChangeType | undefined;
  space_id?: string | undefined;
}

export type Changes = ReturnType<typeof createChanges>;

/** What was made, changed and deleted, in one order that never skips (docs/decisions/0091-changes.md). */
export function createChanges({ store }: { store: Store }) {
  const timeline = () => store.installation.valueOf('changes_timeline', randomUUID());

  return {
    /**
     * The changes after `since`, the oldest first, of the types that the key may read. Without `since` there are none: the
     * cursor then stands for now. A page may have fewer than `limit`, even none, and yet have more behind it.
     * Raises `validation_error` for a bad cursor or space_id, and `not_found` for a space of another workspace.
     */
    async list(principal: Principal, { since, limit, type, space_id }: ListChangesOptions) {
      const { ownerId } = await ownerOf(store.spaces, principal, space_id);
      const name = await timeline();
      if (since === undefined) {
        const now = await store.changes.last(ownerId);
        return { data: [], has_more: false, next_cursor: encodeChangeCursor(name, now) };
      }
      const after = decodeChangeCursor(name, since);
      const rows = await store.changes.read(ownerId, after, limit + 1);
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
      return {
        data,
        has_more: rows.length > limit,
        next_cursor: encodeChangeCursor(name, page.at(-1) ?? after),
      };
    },
  };
}
