import { notFound } from '../domain/errors.ts';
import type { Note, TrashedNote } from '../domain/note.ts';
import { reachOf } from '../domain/owner.ts';
import { type Page, type PageOptions, pageQuery, toPage } from '../domain/page.ts';
import type { Principal } from '../domain/principal.ts';
import { dayMs } from '../domain/rate-limit.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { ownerOf } from './owners.ts';

export type Trash = ReturnType<typeof createTrash>;

interface Dependencies {
  store: Store;
  clock: Clock;
  trashDays: number;
  /** Removes audio that no recording needs any more. */
  sweep(): Promise<void>;
}

/** Deleted notes, until they are purged. */
export function createTrash({ store, clock, trashDays, sweep }: Dependencies) {
  /** Removes the audio of purged notes. If that fails, the hourly housekeeping does it. */
  const removeAudio = () => sweep().catch(() => {});

  return {
    /** The last deleted first. Raises `validation_error` for a bad cursor or space_id, and `not_found` for a space. */
    async list(
      principal: Principal,
      options: PageOptions & { space_id?: string | undefined },
    ): Promise<Page<TrashedNote>> {
      const { ownerId } = await ownerOf(store.spaces, principal, options.space_id);
      const rows = await store.trash.list(ownerId, pageQuery('trash', options));
      return toPage('trash', rows, options.limit, ({ deleted_at }) => ({ at: deleted_at }));
    },

    /** Puts the note back, into its folder if that still exists. Raises `not_found` for a note that is not in the trash. */
    async restore(principal: Principal, id: string): Promise<Note> {
      const now = new Date(clock()).toISOString();
      const note = await store.trash.restore(reachOf(principal), id, now);
      if (!note) throw notFound('Note');
      return note;
    },

    /** Deletes a note of the trash for good. Raises `not_found`. */
    async purge(principal: Principal, id: string): Promise<void> {
      if (!(await store.trash.purge(reachOf(principal), id))) throw notFound('Note');
      await removeAudio();
    },

    /** Deletes everything in the trash for good. */
    async empty(principal: Principal, options: { space_id?: string | undefined }): Promise<void> {
      const { ownerId } = await ownerOf(store.spaces, principal, options.space_id);
      await store.trash.empty(ownerId);
      await removeAudio();
    },

    /** Deletes for good what has been in the trash for too long. */
    purgeExpired: () => store.trash.purgeOlder(new Date(clock() - trashDays * dayMs).toISOString()),
  };
}
