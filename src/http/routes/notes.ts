import { hash } from 'node:crypto';
import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import {
  changedNote,
  maxNotesPerChange,
  type Note,
  note,
  noteSorts,
  noteTypes,
  noteWithTranscript,
  preview,
} from '../../domain/note.ts';
import type { Page } from '../../domain/page.ts';
import { previewOf } from '../../domain/preview.ts';
import { segment } from '../../domain/transcript.ts';
import {
  cursor,
  dataOf,
  envelopeWith,
  idInput,
  instant,
  limit,
  noContent,
  pageOf,
  pathId,
  spaceId,
} from '../../kernel/schemas.ts';
import { lazily } from '../../lib/lazily.ts';
import type { Notes } from '../../services/notes.ts';
import { hasAnswerOf, notModified, revisionsIn, tagOf } from '../etag.ts';
import { fieldsOf } from '../fields.ts';
import { once } from '../idempotency.ts';
import { principalOf } from '../request.ts';
import { changeOfMany, clearedBy, noteChange, noteDraft } from './note-bodies.ts';

export const shownNote = note.meta({ id: 'Note' });
const shownNoteWithTranscript = noteWithTranscript.extend({ preview }).meta({ id: 'NoteWithTranscript' });
const shownListedNote = note.extend({ preview }).meta({ id: 'ListedNote' });

const page = pageOf(shownListedNote);
/** Another version of the server may show other fields. */
const pageForm = lazily(() => hash('sha1', JSON.stringify(z.toJSONSchema(page))));

const staleNote = envelopeWith(['conflict', 'note_version_conflict']).extend({
  data: shownNote.optional().describe('With `note_version_conflict`: the note as it is now.'),
});

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

export const noteRoutes =
  (notes: Notes): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/notes/list',
      config: { access: readNotes, etag: 'sources', tool: 'list_notes', errors: ['not_found'] },
      schema: {
        operationId: 'listNotes',
        summary: 'List notes, newest first',
        description: '`note_type`, `since`, `until`, `sort` and `pinned` are extensions of this server.',
        tags: ['Notes'],
        querystring: z.object({
          limit: limit(100, 50),
          cursor: cursor.describe('`next_cursor` of the previous page, or an ISO timestamp.'),
          folder_id: idInput.optional(),
          space_id: spaceId,
          note_type: z.enum(noteTypes).optional(),
          since: instant
            .optional()
            .describe('Notes created (or changed, if sorted so) at this time or later.'),
          until: instant.optional().describe('Notes created (or changed, if sorted so) before this time.'),
          sort: z.enum(noteSorts).default('created').describe('By when they were created, or last changed.'),
          pinned: z.literal('first').optional().describe('Pinned notes come before all others.'),
        }),
        response: { 200: page, 304: notModified },
      },
      handler: async (request, reply) => {
        const { query } = request;
        const principal = principalOf(request);
        // Before the notes are read, so that they are never older than their ETag (decision 142).
        const state = await notes.state(principal, query.space_id);
        if (state && hasAnswerOf(reply, state.ownerId, state.mark, pageForm())) return reply.code(304).send();
        const wanted = fieldsOf(request);
        // The schema describes the answer without `fields`.
        return wanted
          ? ((await notes.listParts(principal, query, wanted)) as Page<Note>)
          : notes.list(principal, query);
      },
    });

    app.route({
      method: 'GET',
      url: '/notes/:id',
      config: { access: readNotes, etag: 'content', tool: 'get_note' },
      schema: {
        operationId: 'getNote',
        summary: 'Get a note',
        tags: ['Notes'],
        params: pathId,
        response: { 200: dataOf(shownNoteWithTranscript) },
      },
      handler: async (request, reply) => {
        const data = await notes.get(principalOf(request), request.params.id);
        reply.revision = data.revision;
        return fieldsOf(request)?.has('preview')
          ? { data: { ...data, preview: previewOf(data.content) } }
          : { data };
      },
    });

    app.route({
      method: 'POST',
      url: '/notes/create',
      config: {
        idempotent: true,
        access: writeNotes,
        tool: 'create_note',
        errors: ['not_found', 'conflict'],
      },
      schema: {
        operationId: 'createNote',
        summary: 'Create a note',
        tags: ['Notes'],
        body: noteDraft,
        response: {
          201: dataOf(shownNote),
          200: dataOf(shownNote).describe('The note that this `client_note_id` or edit made before.'),
        },
      },
      handler: async (request, reply) => {
        const data = await once(
          request,
          (as) => notes.create(as, request.body),
          notes.get,
          ({ id, isNew }) => (isNew ? undefined : { id, kept: { isNew } }),
        );
        return reply
          .code(data.isNew === false ? 200 : 201)
          .header('etag', tagOf(data.revision))
          .send({ data });
      },
    });

    app.route({
      method: 'PATCH',
      url: '/notes/:id',
      config: {
        access: writeNotes,
        tool: 'update_note',
        ifMatch: true,
        errors: ['conflict', 'note_version_conflict'],
      },
      schema: {
        operationId: 'updateNote',
        summary: 'Change a note; fields that you leave out stay the same',
        tags: ['Notes'],
        params: pathId,
        body: noteChange,
        response: { 200: dataOf(shownNote), 409: staleNote },
      },
      handler: async (request, reply) => {
        const { field_updates = {}, ...given } = request.body;
        const ifMatch = revisionsIn(request.headers['if-match']);
        const changes = { ...given, ...clearedBy(field_updates), ifMatch };
        const data = await notes.update(principalOf(request), request.params.id, changes);
        return reply.header('etag', tagOf(data.revision)).send({ data });
      },
    });

    app.route({
      method: 'POST',
      url: '/notes/change',
      config: { access: writeNotes },
      schema: {
        operationId: 'changeNotes',
        summary: 'Move, pin, delete or restore many notes at once',
        description: `An extension of this server. One of \`deleted\`, \`folder_id\` and \`pinned\` for up to ${maxNotesPerChange} notes: all of them are changed or, after an error, none. It can be sent again without harm.`,
        tags: ['Notes'],
        body: changeOfMany,
        response: {
          200: dataOf(z.array(changedNote)).describe(
            'The notes that are now as asked. Those that you cannot reach are left out.',
          ),
        },
      },
      handler: async (request) => ({
        data: await notes.changeMany(principalOf(request), request.body.ids, request.body.change),
      }),
    });

    app.route({
      method: 'DELETE',
      url: '/notes/:id',
      config: { access: writeNotes, tool: 'delete_note' },
      schema: {
        operationId: 'deleteNote',
        summary: 'Delete a note',
        tags: ['Notes'],
        params: pathId,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await notes.remove(principalOf(request), request.params.id);
        return reply.code(204).send();
      },
    });

    app.route({
      method: 'GET',
      url: '/notes/:id/transcript',
      config: { access: readNotes, etag: 'content', tool: 'get_note_transcript', errors: ['no_transcript'] },
      schema: {
        operationId: 'getNoteTranscript',
        summary: 'Get the transcript of a note',
        tags: ['Notes'],
        params: pathId,
        response: {
          200: dataOf(
            z.object({
              note_id: z.uuid(),
              text: z.string(),
              segments: z.array(segment).nullable(),
              transcript: z.string(),
            }),
          ),
        },
      },
      handler: async (request) => ({ data: await notes.transcript(principalOf(request), request.params.id) }),
    });
  };
