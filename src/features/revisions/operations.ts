import { notFound } from '../../domain/errors.ts';
import { writerOf } from '../../domain/note.ts';
import {
  listedRevision,
  oldestKept,
  type Revision,
  revision,
  revisionLimits,
} from '../../domain/revision.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import type { Context } from '../../kernel/context.ts';
import { command, query, wholeList } from '../../kernel/operation.ts';
import { lockedNote, reachedNote, readNotes, writeNotes } from '../notes/access.ts';
import { changeNote } from '../notes/change.ts';
import { shownNote } from '../notes/schema.ts';
import * as queries from './queries.ts';

const description =
  'An extension of this server. A text is kept when another session replaces it, and when a third of it goes at once.';

/** As far back as the caller's plan keeps them. */
const notBefore = ({ parts, who, now }: Context) => oldestKept(parts.plans[who.plan], Date.parse(now));

async function find(context: Context, note: Authorized<{ id: string }>, id: string): Promise<Revision> {
  const found = await queries.find(context.db, note, id, notBefore(context));
  if (!found) throw notFound('Revision');
  return found;
}

export const listRevisions = wholeList({
  http: 'GET /api/v1/notes/:id/revisions',
  tool: 'list_note_revisions',
  access: readNotes,
  summary: 'List the earlier texts of a note, the last replaced first',
  description,
  items: listedRevision.meta({ id: 'ListedRevision' }),
  run: async (context, { id }) =>
    queries.list(context.db, await reachedNote(context, id), notBefore(context)),
});

export const getRevision = query({
  http: 'GET /api/v1/notes/:id/revisions/:revision_id',
  access: readNotes,
  summary: 'Get an earlier text of a note',
  description,
  answer: revision.meta({ id: 'Revision' }),
  run: async (context, { id, revision_id }) => find(context, await reachedNote(context, id), revision_id),
});

/** The text that it replaces becomes a revision too, because a restore is a session of its own. */
export const restoreRevision = command({
  http: 'POST /api/v1/notes/:id/revisions/:revision_id/restore',
  tool: 'restore_note_revision',
  access: writeNotes,
  summary: 'Restore an earlier text of a note; the current one becomes a revision',
  description,
  answer: shownNote,
  locks: true,
  async run(context, { id, revision_id }) {
    const { who, now, newId, parts } = context;
    const note = await lockedNote(context, id);
    const { title, content, content_is_transcript, enhanced_content } = await find(
      context,
      note,
      revision_id,
    );
    const limits = revisionLimits(newId(), parts.plans[who.plan], Date.parse(now));
    const changes = { title, content, content_is_transcript, enhanced_content };
    return changeNote(context, note, changes, { by: writerOf(who), limits });
  },
});
