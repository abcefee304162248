import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { transcriptionFormats } from '../../domain/transcription.ts';
import type { Transcriptions } from '../../services/transcriptions.ts';
import { principalOf } from '../request.ts';
import { cursor, dataOf, idInput, limit, noContent, pageOf, pathId, timestamp } from '../schemas.ts';
import { segment } from './notes.ts';

const segments = z.array(segment).nullable();
const listedTranscription = z
  .object({
    id: z.uuid(),
    user_id: z.string(),
    note_id: z.uuid().nullable(),
    status: z.literal('completed'),
    text: z.string(),
    word_count: z.int(),
    source: z.string(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    language: z.string().nullable(),
    audio_duration_ms: z.int().nullable(),
    processing_ms: z.int().nullable(),
    segments: segments.optional().describe('Only with `include=segments`.'),
    created_at: timestamp,
  })
  .meta({ id: 'ListedTranscription' });
const transcription = listedTranscription.extend({ segments }).meta({ id: 'Transcription' });

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
          language: z.string().toLowerCase().optional(),
          include: z.literal('segments').optional(),
        }),
        response: { 200: pageOf(listedTranscription) },
      },
      handler: (request) => transcriptions.list(principalOf(request), request.query),
    });

    app.route({
      method: 'GET',
      url: '/transcriptions/:id',
      config: { access: read, plainText: true, tool: 'get_transcription' },
      schema: {
        operationId: 'getTranscription',
        summary: 'Get a transcription as JSON, plain text or subtitles',
        tags: ['Transcriptions'],
        params: pathId,
        querystring: z.object({ format: z.enum(transcriptionFormats).default('json') }),
        response: { 200: z.union([dataOf(transcription), z.string()]) },
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
      method: 'DELETE',
      url: '/transcriptions/:id',
      config: { access: { credential: 'key', personal: 'transcriptions:delete' } },
      schema: {
        operationId: 'deleteTranscription',
        summary: 'Delete a transcription; what it used stays used',
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
