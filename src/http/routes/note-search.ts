import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { foundNote, maxQueryLength, maxSpeakersListed, maxTotal, noteTypes } from '../../domain/note.ts';
import { maxSpeakerLength } from '../../domain/transcription.ts';
import { dataOf, idInput, instant, label, pageOf, spaceId, whole } from '../../kernel/schemas.ts';
import type { Notes } from '../../services/notes.ts';
import { clientSignal, principalOf } from '../request.ts';
import { readNotes } from './notes.ts';

const shownFoundNote = foundNote.meta({ id: 'FoundNote' });

export const noteSearchRoutes =
  (notes: Notes): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'POST',
      url: '/notes/search',
      config: { access: readNotes, cost: 5, tool: 'search_notes', errors: ['not_found'] },
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
      config: { access: readNotes, errors: ['not_found'] },
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
  };
