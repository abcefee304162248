import { conflict, limitReached } from '../../domain/errors.ts';
import { type Folder, maxFoldersPerOwner, maxSortOrder } from '../../domain/folder.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { sameTextKey } from '../../lib/text.ts';
import { requireOwner } from '../../platform/database/owners.ts';
import * as queries from './queries.ts';

/** Without a place it comes last. */
type Draft = Omit<Folder, 'sort_order'> & { owner_id: string; sort_order: number | null };

/** Raises `conflict` if the owner has a folder of this name, and `limit_reached` if there are too many. */
export async function addFolder(
  { database, tx }: Pick<CommandContext<unknown>, 'database' | 'tx'>,
  draft: Draft,
  max = maxFoldersPerOwner,
): Promise<Folder> {
  await requireOwner(database, tx, draft);
  const siblings = await queries.siblings(tx, draft.owner_id);
  const name_key = sameTextKey(draft.name);
  if (siblings.some((sibling) => sibling.name_key === name_key)) throw nameTaken();
  if (siblings.length >= max) throw limitReached(`You can have at most ${maxFoldersPerOwner} folders.`);
  const last = siblings.length === 0 ? -1 : Math.max(...siblings.map((sibling) => sibling.sort_order));
  const sort_order = draft.sort_order ?? Math.min(last + 1, maxSortOrder);
  return queries.insert(tx, { ...draft, name_key, sort_order });
}

export const nameTaken = () => conflict('A folder with this name already exists.');
