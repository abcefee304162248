import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { maxSaidLength } from '../../domain/said.ts';
import {
  listedTranscription,
  maxCorrections,
  maxSegmentLength,
  maxSpeakerLength,
  maxSpeakers,
  transcription,
  transcriptionFormats,
} from '../../domain/transcription.ts';
import {
  cursor,
  dataOf,
  idInput,
  instant,
  label,
  limit,
  noContent,
  pageOf,
  pathId,
} from '../../kernel/schemas.ts';
import type { Transcriptions } from '../../services/transcriptions.ts';
import { principalOf } from '../request.ts';

const shownTranscription = transcription.meta({ id: 'Transcription' });
const shownListedTranscription = listedTranscription.meta({ id: 'ListedTranscription' });

const speakerNames = z
  .record(z.string().max(maxSpeakerLength), label(maxSpeakerLength))
  .refine((names) => {
    const count = Object.keys(names).length;
    return count >= 1 && count <= maxSpeakers;
  }, `must name 1 to ${maxSpeakers} speakers`)
  .describe('The new name of each speaker, by the current one: `{"Speaker 1": "Interviewer"}`.');

const corrections = z
  .array(
    z.object({
      position: z.int().min(0).describe('Which of the segments, from 0.'),
      expected_text: z
        .string()
        .describe('The text that you read; if it has changed since, nothing is changed (409).'),
      text: z
        .string()
        .max(maxSegmentLength)
        .exactOptional()
        .describe(
          'What was really said. Words that stay keep their times. An empty text removes the segment.',
        ),
      confirmed: z
        .boolean()
        .exactOptional()
        .describe('true: these are the words; none of them has a score any more.'),
      speaker: label(maxSpeakerLength)
        .exactOptional()
        .describe('Who says it: one of the speakers, or a new one.'),
    }),
  )
  .min(1)
  .max(maxCorrections)
  .refine(
    (all) => new Set(all.map(({ position }) => position)).size === all.length,
    'must name each position once',
  );

const read = { credential: 'key', personal: 'transcriptions:read' } as const;

export const transcriptionRoutes =
  (transcriptions: Transcriptions): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/transcriptions/list',
      config: { access: read, tool: 'list_transcriptions' },
      schema: {
        operationId: 'listTranscriptions',
        summary: 'List transcriptions, newest first',
        tags: ['Transcriptions'],
        querystring: z.object({
          limit: limit(100, 50),
          cursor,
          note_id: idInput.optional(),
          language: z
            .string()
            .toLowerCase()
            .optional()
            .describe('`en` also finds `en-US` and all others of its family.'),
          since: instant
            .optional()
            .describe('Those made at this time or later; an extension of this server.'),
          until: instant.optional().describe('Those made before this time; an extension of this server.'),
          sort: z
            .enum(['newest', 'oldest'])
            .default('newest')
            .describe('Which come first; an extension of this server.'),
          include: z.literal('segments').optional(),
          q: label(maxSaidLength)
            .optional()
            .describe(
              'Only those in which each of these words was said. An extension of this server. Each request looks through a part of the list, so a page may have fewer items than `limit`, or none, and a `next_cursor`.',
            ),
          recorded: z
            .literal('false')
            .optional()
            .describe('`false` leaves out those of recordings; an extension of this server.'),
        }),
        response: { 200: pageOf(shownListedTranscription) },
      },
      handler: (request) => transcriptions.list(principalOf(request), request.query),
    });

    app.route({
      method: 'GET',
      url: '/transcriptions/:id',
      config: { access: read, etag: 'content', plainText: true, tool: 'get_transcription' },
      schema: {
        operationId: 'getTranscription',
        summary: 'Get a transcription as JSON, plain text or subtitles',
        tags: ['Transcriptions'],
        params: pathId,
        querystring: z.object({ format: z.enum(transcriptionFormats).default('json') }),
        response: { 200: z.union([dataOf(shownTranscription), z.string()]) },
      },
      handler: async (request, reply) => {
        const shown = await transcriptions.show(
          principalOf(request),
          request.params.id,
          request.query.format,
        );
        return typeof shown === 'string'
          ? reply.type('text/plain; charset=utf-8').send(shown)
          : { data: shown };
      },
    });

    app.route({
      method: 'PATCH',
      url: '/transcriptions/:id',
      config: {
        access: { credential: 'key', personal: 'transcriptions:write' },
        tool: 'update_transcription',
        errors: ['conflict'],
      },
      schema: {
        operationId: 'updateTranscription',
        summary:
          'Correct segments, say who speaks, or rename speakers; the note of the transcription follows',
        tags: ['Transcriptions'],
        params: pathId,
        body: z
          .object({ segments: corrections.exactOptional(), speakers: speakerNames.exactOptional() })
          .refine(({ segments, speakers }) => segments !== undefined || speakers !== undefined, {
            message: 'must have segments, speakers or both',
          }),
        response: { 200: dataOf(shownTranscription) },
      },
      handler: async (request) => ({
        data: await transcriptions.change(principalOf(request), request.params.id, request.body),
      }),
    });

    app.route({
      method: 'DELETE',
      url: '/transcriptions/:id',
      config: { access: { credential: 'key', personal: 'transcriptions:delete' } },
      schema: {
        operationId: 'deleteTranscription',
        summary: 'Delete a transcription; its minutes and words still count',
        tags: ['Transcriptions'],
        params: pathId,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await transcriptions.remove(principalOf(request), request.params.id);
        return reply.code(204).send();
      },
    });
  };
