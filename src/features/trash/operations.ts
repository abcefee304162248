import { z } from 'zod';
import { laterThan, trashedNote } from '../../domain/note.ts';
import { reachOf } from '../../domain/owner.ts';
import { authorize, type Reach } from '../../kernel/authorized.ts';
import type { Context } from '../../kernel/context.ts';
import { command, list, stream } from '../../kernel/operation.ts';
import { spaceId } from '../../kernel/schemas.ts';
import { workspaceOf } from '../../platform/database/audit.ts';
import { readNotes, writeNotes } from '../notes/access.ts';
import * as notes from '../notes/queries.ts';
import { shownNote } from '../notes/schema.ts';
import { ownerOf } from '../workspaces/access.ts';
import { notesPerWrite, purgeSome, scrubLater } from './purge.ts';
import * as queries from './queries.ts';

const description = 'An extension of this server.';
const ofSpace = z.object({ space_id: spaceId });

/** A note of the trash within the caller's reach. */
const reached = authorize('Note', ({ db, who }: Reach, id: string) => queries.find(db, reachOf(who), id));

/** After notes are purged: their words and their audio. What fails is done by the hourly housekeeping. */
async function sweep({ database, parts }: Pick<Context, 'database' | 'parts'>): Promise<void> {
  scrubLater(database);
  await parts.sweepAudio().catch(() => {});
}

export const listTrash = list({
  http: 'GET /api/v1/notes/trash',
  tool: 'list_trash',
  access: readNotes,
  summary: 'List deleted notes, the last deleted first',
  description,
  query: ofSpace,
  items: trashedNote.meta({ id: 'TrashedNote' }),
  list: 'trash',
  limit: [100, 50],
  placeOf: ({ deleted_at }) => ({ at: deleted_at }),
  errors: ['not_found'],
  async run(context, { query, page }) {
    const { ownerId } = await ownerOf(context, query.space_id);
    return queries.page(context.db, ownerId, page);
  },
});

export const restoreNote = command({
  http: 'POST /api/v1/notes/:id/restore',
  tool: 'restore_note',
  access: writeNotes,
  summary: 'Take a note out of the trash, back into its folder if that still exists',
  description,
  answer: shownNote,
  async run(context, { id }) {
    const { database, tx, now, afterCommit } = context;
    const note = await reached(context, id);
    const updated_at = laterThan(note.updated_at, now);
    await notes.update(tx, note, { deleted_at: null, updated_at });
    if (!(await database.search.put(tx, note.seq, note.owner_id, note)))
      afterCommit(() => notes.settle(database));
    return { ...note, updated_at };
  },
});

export const emptyTrash = stream({
  http: 'DELETE /api/v1/notes/trash',
  access: writeNotes,
  summary: 'Delete everything in the trash for good',
  description,
  query: ofSpace,
  answer: 204,
  errors: ['not_found'],
  audit: ['note.purged'],
  async run(context, { query }) {
    const some = () =>
      context.act(async (context) => {
        const { database, tx, audit } = context;
        const { ownerId } = await ownerOf(context, query.space_id);
        const purged = await purgeSome(database, tx, (found) => found.where('owner_id', '=', ownerId));
        const workspace_id = await workspaceOf(tx, ownerId);
        if (purged > 0)
          await audit({ act: 'note.purged', workspace_id, detail: `${purged} notes of the trash` });
        return purged;
      });
    while ((await some()) === notesPerWrite);
    await sweep(context);
  },
});

export const purgeNote = command({
  http: 'DELETE /api/v1/notes/trash/:id',
  access: writeNotes,
  summary: 'Delete a note of the trash for good',
  description: `${description} Its transcript, its revisions and the transcription that it was made from go with it.`,
  answer: 204,
  audit: ['note.purged'],
  async run(context, { id }) {
    const { database, tx, audit, afterCommit } = context;
    const note = await reached(context, id);
    await queries.remove(database, tx, [note]);
    const workspace_id = await workspaceOf(tx, note.owner_id);
    await audit({ act: 'note.purged', workspace_id, subject_id: id });
    afterCommit(() => sweep(context));
  },
});
