import { z } from 'zod';
import { foundNote, maxQueryLength, maxSpeakersListed, maxTotal, noteTypes } from '../../domain/note.ts';
import { maxSpeakerLength } from '../../domain/transcription.ts';
import { Answered } from '../../kernel/context.ts';
import { query, wholeList } from '../../kernel/operation.ts';
import { idInput, instant, label, spaceId } from '../../kernel/schemas.ts';
import { ownerOf } from '../workspaces/access.ts';
import { readNotes } from './access.ts';
import { searchNotes as search } from './search.ts';

export const searchNotes = query({
  http: 'POST /api/v1/notes/search',
  tool: 'search_notes',
  access: readNotes,
  cost: 5,
  summary: 'Search notes by words and "quoted phrases", the best first',
  description:
    'Any word may match; rare words count more, and words in the title. The last word may be unfinished, and a word that no note has may be mistyped. Every phrase in quotes must be in the note. Filters, `highlights`, `total`, `more` and `complete` are extensions of this server.',
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
  answer: z.array(foundNote.meta({ id: 'FoundNote' })),
  beside: {
    total: z.int().max(maxTotal).describe('How many notes match; more than the limit gives.'),
    more: z.boolean().describe('There are even more than `total`.'),
    complete: z
      .boolean()
      .describe(
        'False when the time was up, or when notes are still being indexed: there may be better ones.',
      ),
  },
  errors: ['not_found'],
  async run(context, { body }) {
    const { data, ...beside } = await search(context, body, context.signal);
    return new Answered(data, { beside });
  },
});

export const listSpeakers = wholeList({
  http: 'GET /api/v1/notes/speakers',
  access: readNotes,
  summary: 'List who speaks in the transcripts of notes',
  description: `An extension of this server: up to ${maxSpeakersListed} names, for the filter \`speaker\` of a search.`,
  query: z.object({ space_id: spaceId }),
  items: z.string(),
  errors: ['not_found'],
  async run(context, { query }) {
    const { ownerId } = await ownerOf(context, query.space_id);
    return context.database.search.speakers(ownerId, maxSpeakersListed, context.signal);
  },
});
