import { notFound } from '../domain/errors.ts';
import { type Note, writerOf } from '../domain/note.ts';
import { reachOf } from '../domain/owner.ts';
import { type Plans, planNames } from '../domain/plans.ts';
import type { Principal } from '../domain/principal.ts';
import { type ListedRevision, oldestKept, type Revision, revisionLimits } from '../domain/revision.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

export type Revisions = ReturnType<typeof createRevisions>;

interface Dependencies {
  store: Store;
  clock: Clock;
  newId: NewId;
  plans: Plans;
}

/** The earlier texts of a note, as far back as the plan keeps them. */
export function createRevisions({ store, clock, newId, plans }: Dependencies) {
  const notBefore = (principal: Principal) => oldestKept(plans[principal.plan], clock());

  async function get(principal: Principal, noteId: string, id: string): Promise<Revision> {
    const found = await store.revisions.get(reachOf(principal), noteId, id, notBefore(principal));
    if (!found) throw notFound('Revision');
    return found;
  }

  return {
    get,

    /** The last replaced first, without the texts. Raises `not_found`. */
    async list(principal: Principal, noteId: string): Promise<ListedRevision[]> {
      const found = await store.revisions.list(reachOf(principal), noteId, notBefore(principal));
      if (!found) throw notFound('Note');
      return found;
    },

    /** The text that it replaces becomes a revision, because a restore is a session of its own. Raises `not_found`. */
    async restore(principal: Principal, noteId: string, id: string): Promise<Note> {
      const { title, content, content_is_transcript, enhanced_content } = await get(principal, noteId, id);
      const now = clock();
      const note = await store.notes.update(
        reachOf(principal),
        noteId,
        { title, content, content_is_transcript, enhanced_content },
        new Date(now).toISOString(),
        { by: writerOf(principal), limits: revisionLimits(newId(), plans[principal.plan], now) },
      );
      if (typeof note === 'string' || 'changedSince' in note) throw notFound('Note');
      return note;
    },

    /** Deletes what no plan keeps any more. */
    async removeExpired(): Promise<void> {
      const revisionDays = Math.max(...planNames.map((name) => plans[name].revisionDays));
      await store.revisions.removeOlder(oldestKept({ revisionDays }, clock()));
    },
  };
}
