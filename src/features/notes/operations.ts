import { z } from 'zod';
import { maxBulkRows } from '../../domain/bulk.ts';
import { AppError } from '../../domain/errors.ts';
import {
  changedNote,
  maxNotesPerChange,
  type Note,
  noteSorts,
  noteTypes,
  writerOf,
} from '../../domain/note.ts';
import { checkSpaceId, reachOf } from '../../domain/owner.ts';
import { revisionLimits } from '../../domain/revision.ts';
import { readTranscript, segment } from '../../domain/transcript.ts';
import { createMany, ofRows } from '../../kernel/bulk.ts';
import { Answered } from '../../kernel/context.ts';
import { command, gathered, list, query } from '../../kernel/operation.ts';
import { cursor, dataOf, envelopeWith, idInput, instant, spaceId } from '../../kernel/schemas.ts';
import { revisionsIn, tagOf } from '../../platform/http/etag.ts';
import { markOf } from '../changes/queries.ts';
import { namedTags } from '../tags/schema.ts';
import { ownerOf } from '../workspaces/access.ts';
import { lockedNote, reachedNote, readNotes, writeNotes } from './access.ts';
import { changeNote, tagsOfNote } from './change.ts';
import { alreadyStored, prepareNote, prepareRows, storeNote, storeRows } from './create.ts';
import * as lists from './lists.ts';
import { changeMany } from './many.ts';
import { previewOf } from './preview.ts';
import * as queries from './queries.ts';
import {
  changeOfMany,
  clearedBy,
  listedNote,
  noteChange,
  noteDraft,
  shownNote,
  shownNoteWithTranscript,
} from './schema.ts';

export const listNotes = list({
  http: 'GET /api/v1/notes/list',
  tool: 'list_notes',
  access: readNotes,
  summary: 'List notes, newest first',
  description: '`tag_id`, `note_type`, `since`, `until`, `sort` and `pinned` are extensions of this server.',
  query: z.object({
    cursor: cursor.describe('`next_cursor` of the previous page, or an ISO timestamp.'),
    folder_id: idInput.optional(),
    tag_id: idInput.optional(),
    space_id: spaceId,
    note_type: z.enum(noteTypes).optional(),
    since: instant.optional().describe('Notes created (or changed, if sorted so) at this time or later.'),
    until: instant.optional().describe('Notes created (or changed, if sorted so) before this time.'),
    sort: z.enum(noteSorts).default('created').describe('By when they were created, or last changed.'),
    pinned: z.literal('first').optional().describe('Pinned notes come before all others.'),
  }),
  items: listedNote,
  limit: [100, 50],
  list: ({ sort, pinned }) =>
    `${sort === 'created' ? 'notes' : 'notes by change'}${pinned ? ', pinned first' : ''}`,
  placeOf: (note, { sort, pinned }) => ({
    at: sort === 'created' ? note.created_at : note.updated_at,
    pinned: pinned && note.pinned,
  }),
  errors: ['not_found'],
  async etag(context, { query }) {
    const { ownerId } = await ownerOf(context, query.space_id);
    const mark = await markOf(context.database, ownerId);
    return mark === undefined ? undefined : [ownerId, mark];
  },
  async run(context, { query, page }) {
    const { ownerId } = await ownerOf(context, query.space_id);
    const { folder_id: folderId, tag_id: tagId, note_type: noteType, since, until, sort, pinned } = query;
    const wanted = {
      ...page,
      folderId,
      tagId,
      noteType,
      since,
      until,
      sort,
      pinnedFirst: pinned === 'first',
    };
    const { database, fields } = context;
    if (!fields) return lists.list(database, ownerId, wanted);
    // The schema describes the answer without `fields`.
    return (await lists.listParts(database, ownerId, wanted, fields)) as Note[];
  },
});

export const getNote = query({
  http: 'GET /api/v1/notes/:id',
  tool: 'get_note',
  access: readNotes,
  summary: 'Get a note',
  answer: shownNoteWithTranscript,
  etag: 'revision',
  async run(context, { id }) {
    const note = await reachedNote(context, id);
    return context.fields?.has('preview') ? { ...note, preview: previewOf(note.content) } : note;
  },
});

/** The answer names the revision, for `If-Match`. */
const answerWith = <Shown extends Note>(note: Shown, status?: 200 | 201) =>
  new Answered(note, { ...(status && { status }), headers: { etag: tagOf(note.revision) } });

export const createNote = gathered({
  http: 'POST /api/v1/notes/create',
  tool: 'create_note',
  access: writeNotes,
  summary: 'Create a note',
  body: noteDraft,
  answer: [201, shownNote],
  responses: { 200: dataOf(shownNote).describe('The note that this `client_note_id` or edit made before.') },
  errors: ['not_found', 'conflict', 'limit_reached'],
  again: async (context, { id, kept }) =>
    answerWith(await reachedNote(context, id), 'isNew' in kept ? 200 : 201),
  async run(context, { body }) {
    const { db, database, complete } = context;
    const prepared = await prepareNote(context, body);
    if ('note' in prepared) {
      const { note, ...links } = prepared;
      const outcome = await storeNote(database, note, { ...links, complete });
      if (outcome === 'stored') return answerWith(note, 201);
    }
    const known = 'known' in prepared ? prepared.known : await alreadyStored(db, prepared.note);
    if (complete) await database.write((tx) => complete(tx, { id: known.id, kept: { isNew: false } }));
    return answerWith(known, 200);
  },
});

export const createNotes = createMany({
  http: 'POST /api/v1/notes/create-many',
  access: writeNotes,
  summary: `Create up to ${maxBulkRows} notes`,
  description: ofRows('A row is a body of `POST /notes/create`.'),
  rows: ['notes', noteDraft],
  resource: 'Note',
  record: shownNote,
  again: ({ database, who }, id) => queries.find(database, reachOf(who), id),
  prepare: prepareRows,
  async run(context, rows) {
    const outcomes = await storeRows(context, rows);
    return outcomes.map((one) =>
      one instanceof AppError ? one : new Answered(one.note, { status: one.isNew ? 201 : 200 }),
    );
  },
});

export const updateNote = command({
  http: 'PATCH /api/v1/notes/:id',
  tool: 'update_note',
  access: writeNotes,
  summary: 'Change a note; fields that you leave out stay the same',
  body: noteChange,
  answer: shownNote,
  responses: {
    409: envelopeWith(['conflict', 'note_version_conflict']).extend({
      data: shownNote.optional().describe('With `note_version_conflict`: the note as it is now.'),
    }),
  },
  errors: ['conflict', 'note_version_conflict', 'limit_reached'],
  wire: { ifMatch: true },
  locks: true,
  async run(context, { id, body, headers }) {
    const { who, now, newId, parts } = context;
    const { field_updates = {}, edit, base_revision, expected_updated_at, space_id, ...rest } = body;
    const { tags: _, tag_ids: __, ...given } = rest;
    // A note stays in its space, so with a workspace key any `space_id` is accepted here.
    if (who.kind !== 'workspace') checkSpaceId(who, space_id);
    const tagged = await tagsOfNote(context, id, namedTags(body));
    const note = await lockedNote(context, id);
    const changed = await changeNote(
      context,
      note,
      { ...given, ...clearedBy(field_updates), ...tagged },
      {
        by: writerOf(who, edit),
        limits: revisionLimits(newId(), parts.plans[who.plan], Date.parse(now)),
        expected: {
          revision: base_revision,
          updatedAt: expected_updated_at,
          revisions: revisionsIn(headers['if-match']?.toString()),
        },
      },
    );
    return answerWith(changed);
  },
});

export const changeNotes = command({
  http: 'POST /api/v1/notes/change',
  access: writeNotes,
  summary: 'Move, pin, tag, delete or restore many notes at once',
  description: `An extension of this server. One of \`deleted\`, \`folder_id\`, \`pinned\`, \`tags\`, \`tag_ids\`, \`add_tags\` and \`remove_tags\` for up to ${maxNotesPerChange} notes: all of them are changed or, after an error, none. It can be sent again without harm.`,
  body: changeOfMany,
  answer: z.array(changedNote),
  responses: {
    200: dataOf(z.array(changedNote)).describe(
      'The notes that are now as asked. Those that you cannot reach are left out.',
    ),
  },
  errors: ['limit_reached'],
  locks: true,
  run: (context, { body }) => changeMany(context, body.ids, body.change),
});

/** The row stays, but only the trash finds it. */
export const deleteNote = command({
  http: 'DELETE /api/v1/notes/:id',
  tool: 'delete_note',
  access: writeNotes,
  summary: 'Delete a note',
  answer: 204,
  locks: true,
  async run(context, { id }) {
    const { seq } = await lockedNote(context, id);
    await queries.moveToTrash(context.database, context.tx, [seq], context.now);
  },
});

export const getNoteTranscript = query({
  http: 'GET /api/v1/notes/:id/transcript',
  tool: 'get_note_transcript',
  access: readNotes,
  summary: 'Get the transcript of a note',
  answer: z.object({
    note_id: z.uuid(),
    text: z.string(),
    segments: z.array(segment).nullable(),
    transcript: z.string(),
  }),
  etag: 'content',
  errors: ['no_transcript'],
  async run(context, { id }) {
    const { transcript } = await reachedNote(context, id);
    if (transcript === null) throw new AppError('no_transcript', 'This note has no transcript.');
    return { note_id: id, ...readTranscript(transcript) };
  },
});
