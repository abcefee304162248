import { z } from 'zod';
import { id, timestamp } from './fields.ts';

export const folder = z.object({
  id,
  name: z.string(),
  sort_order: z.int(),
  is_default: z.boolean(),
  space_id: id.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Folder = z.infer<typeof folder>;

/** What its owner may change. */
export type FolderChanges = Partial<Pick<Folder, 'name' | 'sort_order'>>;

export const maxFoldersPerOwner = 50;
export const maxFolderNameLength = 100;
/** The largest value of a 32-bit integer column. */
export const maxSortOrder = 2 ** 31 - 1;
