import { AppError, notFound } from '../domain/errors.ts';
import { type Folder, type FolderChanges, maxFoldersPerOwner } from '../domain/folder.ts';
import { reachOf } from '../domain/owner.ts';
import type { Principal } from '../domain/principal.ts';
import { sameTextKey } from '../lib/text.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { ownerOf } from './owners.ts';

export type Folders = ReturnType<typeof createFolders>;

export function createFolders({ store, clock, newId }: { store: Store; clock: Clock; newId: NewId }) {
  const now = () => new Date(clock()).toISOString();

  return {
    /** All folders, by `sort_order`, then by age. */
    async list(principal: Principal, options: { space_id?: string | undefined }): Promise<Folder[]> {
      const { ownerId } = await ownerOf(store.spaces, principal, options.space_id);
      return store.folders.list(ownerId);
    },

    /** Raises `conflict` if the owner has a folder of this name, and `limit_reached` if there are too many. */
    async create(
      principal: Principal,
      draft: { name: string; sort_order?: number | undefined; space_id?: string | undefined },
    ): Promise<Folder> {
      const { ownerId, spaceId } = await ownerOf(store.spaces, principal, draft.space_id);
      const createdAt = now();
      const folder = await store.folders.insert(
        {
          id: newId(),
          owner_id: ownerId,
          space_id: spaceId,
          name: draft.name,
          name_key: sameTextKey(draft.name),
          sort_order: draft.sort_order ?? null,
          is_default: false,
          created_at: createdAt,
          updated_at: createdAt,
        },
        maxFoldersPerOwner,
      );
      if (folder === 'conflict') throw nameTaken();
      if (folder === 'limit reached')
        throw new AppError('limit_reached', `You can have at most ${maxFoldersPerOwner} folders.`);
      return folder;
    },

    /** Changes the given fields. Raises `not_found`, and `conflict` if the owner has another folder of this name. */
    async update(principal: Principal, id: string, changes: FolderChanges): Promise<Folder> {
      const named = changes.name === undefined ? {} : { name_key: sameTextKey(changes.name) };
      const folder = await store.folders.update(reachOf(principal), id, { ...changes, ...named }, now());
      if (folder === 'not found') throw notFound('Folder');
      if (folder === 'conflict') throw nameTaken();
      return folder;
    },

    /** Its notes stay without a folder, or go to the trash. Raises `not_found`. */
    async remove(principal: Principal, id: string, notes: 'keep' | 'trash'): Promise<void> {
      if (!(await store.folders.remove(reachOf(principal), id, { notes, now: now() })))
        throw notFound('Folder');
    },
  };
}

const nameTaken = () => new AppError('conflict', 'A folder with this name already exists.');
