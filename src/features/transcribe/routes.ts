import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { transcribeAccess } from '../../domain/access.ts';
import { resultOf, transcribeResult } from '../../domain/transcription.ts';
import { dataOf } from '../../kernel/schemas.ts';
import { keptWhole, once } from '../../platform/http/idempotency.ts';
import { clientSignal } from '../../platform/http/request.ts';
import { acceptUploads, readUpload, transcribeForm, uploadSchema } from '../../platform/http/upload.ts';
import type { Transcribe } from './transcribe.ts';

export const transcribeRoutes =
  (transcribe: Transcribe): FastifyPluginAsyncZod =>
  async (app) => {
    await acceptUploads(app);

    app.route({
      method: 'POST',
      url: '/transcribe',
      config: {
        idempotent: true,
        access: transcribeAccess,
        cost: 5,
        tool: 'transcribe_audio',
        multipart: uploadSchema,
        digestBody: (reply, signal) => readUpload(reply, signal, transcribeForm),
        errors: ['concurrency_limit', 'quota_exceeded'],
      },
      schema: {
        operationId: 'transcribeAudio',
        summary: 'Transcribe a recording (beta)',
        tags: ['Transcriptions'],
        response: { 200: dataOf(transcribeResult.meta({ id: 'TranscribeResult' })) },
      },
      handler: async (request, reply) => ({
        data: resultOf(
          await once(
            request,
            (as) =>
              transcribe.run(as, (signal) => readUpload(reply, signal, transcribeForm), {
                client: clientSignal(reply),
              }),
            keptWhole,
          ),
        ),
      }),
    });
  };
