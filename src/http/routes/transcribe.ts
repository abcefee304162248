import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import type { Transcribe } from '../../services/transcribe.ts';
import { clientSignal, principalOf } from '../request.ts';
import { dataOf } from '../schemas.ts';
import { acceptUploads, readUpload, uploadSchema } from '../upload.ts';

const transcribeResult = z
  .object({
    id: z.uuid().describe('Of the stored transcription.'),
    text: z.string(),
    language: z.string().nullable(),
    duration_ms: z.int().describe('Length of the audio; it counts against the monthly quota.'),
    words: z.int(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    beta: z.literal(true),
  })
  .meta({ id: 'TranscribeResult' });

export const transcribeRoutes =
  (transcribe: Transcribe): FastifyPluginAsyncZod =>
  async (app) => {
    await acceptUploads(app);

    app.route({
      method: 'POST',
      url: '/transcribe',
      config: {
        access: {
          credential: 'key',
          personal: 'transcriptions:write',
          plan: 'transcription',
          policy: 'cloud transcription',
        },
        cost: 5,
        tool: 'transcribe_audio',
        multipart: uploadSchema,
      },
      schema: {
        operationId: 'transcribeAudio',
        summary: 'Transcribe a recording (beta)',
        tags: ['Transcriptions'],
        response: { 200: dataOf(transcribeResult) },
      },
      handler: async (request, reply) => ({
        data: await transcribe.run(
          principalOf(request),
          (signal) => readUpload(request, signal),
          clientSignal(reply),
        ),
      }),
    });
  };
