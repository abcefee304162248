import { type OwnerFilter, reachOf } from '../../domain/owner.ts';
import { authorize } from '../../kernel/authorized.ts';
import type { CommandContext, Context } from '../../kernel/context.ts';
import * as queries from './queries.ts';

export const readNotes = {
  credential: 'key',
  personal: 'notes:read',
  workspace: 'workspace:notes:read',
} as const;
export const writeNotes = {
  credential: 'key',
  personal: 'notes:write',
  workspace: 'workspace:notes:write',
} as const;

/** A note that the caller may read. */
export const reachedNote = authorize(
  'Note',
  ({ database, who }: Pick<Context, 'database' | 'who'>, id: string) =>
    queries.find(database, reachOf(who), id),
);

interface Locking extends Pick<CommandContext<unknown>, 'database' | 'tx'> {
  readonly reach: OwnerFilter;
}
/** A note within this reach, locked until the transaction ends. A job has the reach of its row. */
export const noteWithin = authorize('Note', ({ database, tx, reach }: Locking, id: string) =>
  queries.lock(database, tx, reach, id),
);
/** A note that the caller may change, locked. */
export const lockedNote = ({ database, tx, who }: CommandContext, id: string) =>
  noteWithin({ database, tx, reach: reachOf(who) }, id);
