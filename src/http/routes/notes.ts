import { hash } from 'node:crypto';
import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import {
  changedNote,
  foundNote,
  maxNotesPerChange,
  maxQueryLength,
  maxSpeakersListed,
  maxTitleLength,
  maxTotal,
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
import { maxSpeakerLength } from '../../domain/transcription.ts';
import { lazily } from '../../lib/lazily.ts';
import type { Notes } from '../../services/notes.ts';
import { hasAnswerOf, notModified, revisionsIn, tagOf } from '../etag.ts';
import { fieldsOf } from '../fields.ts';
import { once } from '../idempotency.ts';
import { clientSignal, principalOf } from '../request.ts';
import {
  cursor,
  dataOf,
  envelopeWith,
  idInput,
  instant,
  label,
  limit,
  noContent,
  optionalBody,
  pageOf,
  pathId,
  spaceId,
  text,
  whole,
} from '../schemas.ts';

export const shownNote = note.meta({ id: 'Note' });
const shownNoteWithTranscript = noteWithTranscript.extend({ preview }).meta({ id: 'NoteWithTranscript' });
const shownListedNote = note.extend({ preview }).meta({ id: 'ListedNote' });
const shownFoundNote = foundNote.meta({ id: 'FoundNote' });

const page = pageOf(shownListedNote);
/** Another version of the server may show other fields. */
const pageForm = lazily(() => hash('sha1', JSON.stringify(z.toJSONSchema(page))));

/** Clients make up both names. */
const clientName = text(255);
const editInput = z
  .object({ session: clientName, seq: z.int().min(0) })
  .describe(
    'Your edit: a random name for each opening of the note, and a number that grows with each edit. The same edit again answers with the note and changes nothing. Text of another session is kept as a revision.',
  );
const fieldUpdate = z.enum(['set', 'clear']).exactOptional();
const staleNote = envelopeWith(['conflict', 'note_version_conflict']).extend({
  data: shownNote.optional().describe('With `note_version_conflict`: the note as it is now.'),
});

const title = z.string().max(maxTitleLength).nullable();
const enhancedContent = z.string().nullable();

export const noteDraft = z
  .object({
    content: z.string().describe('May be empty if there is a title.'),
    title: title.optional(),
    enhanced_content: enhancedContent.optional(),
    note_type: z.enum(noteTypes).default('personal'),
    folder_id: idInput.nullable().optional(),
    space_id: spaceId,
    transcription_id: idInput
      .optional()
      .describe(
        'Id of one of your transcriptions. The note gets its transcript; its `note_id` names the note.',
      ),
    content_is_transcript: z
      .boolean()
      .optional()
      .describe(
        'With `transcription_id`: `content` is its text, and follows corrections until somebody changes it. An extension of this server.',
      ),
    client_note_id: clientName
      .optional()
      .describe('Your own id for the note. If it has made a note before, the answer is 200 with that note.'),
    edit: editInput.optional(),
  })
  .refine(({ content, title }) => content !== '' || Boolean(title), {
    path: ['content'],
    message: 'must not be empty unless there is a title',
  })
  .refine((body) => !body.content_is_transcript || body.transcription_id !== undefined, {
    path: ['content_is_transcript'],
    message: 'must come with transcription_id',
  });

const read = { credential: 'key', personal: 'notes:read', workspace: 'workspace:notes:read' } as const;
export const writeNotes = {
  credential: 'key',
  personal: 'notes:write',
  workspace: 'workspace:notes:write',
} as const;

const changeOfMany = z
  .object({
    ids: z.array(idInput).min(1).max(maxNotesPerChange),
    deleted: z.boolean().optional().describe('true moves the notes to the trash, false takes them out.'),
    folder_id: idInput.nullable().optional().describe('null removes the notes from their folders.'),
    pinned: z.boolean().optional(),
  })
  .transform(({ ids, deleted, folder_id, pinned }, context) => {
    const [change, ...more] = [
      ...(deleted === undefined ? [] : [{ deleted }]),
      ...(folder_id === undefined ? [] : [{ folder_id }]),
      ...(pinned === undefined ? [] : [{ pinned }]),
    ];
    if (change && more.length === 0) return { ids, change };
    context.addIssue('must have exactly one of deleted, folder_id and pinned');
    return z.NEVER;
  });

type FieldUpdates = Partial<Record<'content' | 'enhanced_content', 'set' | 'clear'>>;

/** `set` needs the text, and `clear` allows none. */
function checkFieldUpdates(
  body: { content?: string; enhanced_content?: string | null; field_updates?: FieldUpdates },
  context: z.RefinementCtx,
): void {
  for (const field of ['content', 'enhanced_content'] as const) {
    const update = body.field_updates?.[field];
    if (update === 'set' && typeof body[field] !== 'string')
      context.addIssue({ code: 'custom', path: [field], message: 'must be a string: field_updates sets it' });
    if (update === 'clear' && body[field])
      context.addIssue({
        code: 'custom',
        path: [field],
        message: 'must be left out: field_updates clears it',
      });
  }
}

const clearedBy = ({ content, enhanced_content }: FieldUpdates) => ({
  ...(content === 'clear' ? { content: '' } : {}),
  ...(enhanced_content === 'clear' ? { enhanced_content: null } : {}),
});

export const noteRoutes =
  (notes: Notes): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/notes/list',
      config: { access: read, etag: 'sources', tool: 'list_notes', errors: ['not_found'] },
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
      config: { access: read, etag: 'content', tool: 'get_note' },
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
        const data = await once(request, (as) => notes.create(as, request.body), notes.get);
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
        body: optionalBody(
          z
            .object({
              title: title.exactOptional(),
              content: z.string().exactOptional().describe('An empty text clears the note.'),
              enhanced_content: enhancedContent.exactOptional(),
              folder_id: idInput
                .nullable()
                .exactOptional()
                .describe('null removes the note from its folder.'),
              pinned: z.boolean().exactOptional().describe('An extension of this server.'),
              space_id: spaceId.describe(
                'No effect: a note stays in its space. Not allowed with a personal key.',
              ),
              expected_updated_at: instant
                .exactOptional()
                .describe(
                  'The `updated_at` that you last read. If the note has changed since, the answer is 409 and nothing changes.',
                ),
              base_revision: z
                .int()
                .exactOptional()
                .describe(
                  'The `revision` that you last read. If the note has another, the answer is 409 with the note, and nothing changes.',
                ),
              edit: editInput.exactOptional(),
              field_updates: z
                .object({ content: fieldUpdate, enhanced_content: fieldUpdate })
                .exactOptional()
                .describe('What is meant to happen to a text: `set` it to the given one, or `clear` it.'),
            })
            .superRefine(checkFieldUpdates),
        ),
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
      method: 'POST',
      url: '/notes/search',
      config: { access: read, cost: 5, tool: 'search_notes', errors: ['not_found'] },
      schema: {
        operationId: 'searchNotes',
        summary: 'Search notes by words and "quoted phrases", the best first',
        description:
          'Any word may match; rare words count more, and words in the title. The last word may be unfinished, and a word that no note has may be mistyped. Every phrase in quotes must be in the note. Filters, `highlights`, `total`, `more` and `complete` are extensions of this server.',
        tags: ['Notes'],
        body: z.object({
          query: z.string().min(1).max(maxQueryLength),
          limit: z.int().min(1).max(50).default(20),
          space_id: spaceId,
          folder_id: idInput.optional(),
          note_type: z.enum(noteTypes).optional(),
          since: instant.optional().describe('Notes created at this time or later.'),
          until: instant.optional().describe('Notes created before this time.'),
          voice: z
            .boolean()
            .optional()
            .describe('true: notes with a transcript; false: notes without one, which were only written.'),
          speaker: label(maxSpeakerLength)
            .optional()
            .describe('Notes in whose transcript somebody of this name speaks. Case does not matter.'),
          highlights: z.boolean().default(false).describe('Adds excerpts with the words found.'),
        }),
        response: {
          200: dataOf(z.array(shownFoundNote)).extend({
            total: z.int().max(maxTotal).describe('How many notes match; more than the limit gives.'),
            more: z.boolean().describe('There are even more than `total`.'),
            complete: z
              .boolean()
              .describe(
                'False when the time was up, or when notes are still being indexed: there may be better ones.',
              ),
          }),
        },
      },
      handler: (request, reply) => notes.search(principalOf(request), request.body, clientSignal(reply)),
    });

    app.route({
      method: 'GET',
      url: '/notes/speakers',
      config: { access: read, errors: ['not_found'] },
      schema: {
        operationId: 'listSpeakers',
        summary: 'List who speaks in the transcripts of notes',
        description: `An extension of this server: up to ${maxSpeakersListed} names, for the filter \`speaker\` of a search.`,
        tags: ['Notes'],
        querystring: z.object({ space_id: spaceId }),
        response: { 200: pageOf(z.string()) },
      },
      handler: async (request, reply) => ({
        ...whole,
        data: await notes.speakers(principalOf(request), request.query.space_id, clientSignal(reply)),
      }),
    });

    app.route({
      method: 'GET',
      url: '/notes/:id/transcript',
      config: { access: read, etag: 'content', tool: 'get_note_transcript', errors: ['no_transcript'] },
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
