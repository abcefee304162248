export interface Folder {
  id: string;
  name: string;
  sort_order: number;
  is_default: boolean;
  space_id: string | null;
  created_at: string;
  updated_at: string;
}

export const maxFoldersPerOwner = 50;
export const maxFolderNameLength = 100;
/** What a 32-bit integer column holds. */
export const maxSortOrder = 2 ** 31 - 1;
