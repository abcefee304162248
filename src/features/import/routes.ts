import { closeSync } from 'node:fs';
import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { dataOf } from '../../kernel/schemas.ts';
import { keptWhole, once } from '../../platform/http/idempotency.ts';
import { clientSignal } from '../../platform/http/request.ts';
import { acceptAnyBody, spoolBody } from '../../platform/http/spool.ts';
import type { Imports } from './imports.ts';

const maxBytes = 100_000_000;
const count = z.int().describe('How many were added.');

export const importRoutes =
  (imports: Imports, folder: string): FastifyPluginAsyncZod =>
  async (app) => {
    acceptAnyBody(app);

    app.route({
      method: 'POST',
      url: '/import',
      config: {
        idempotent: 'repeatable',
        access: { credential: 'key', personal: 'notes:write' },
        cost: 20,
        zipBody: true,
        digestBody: async ({ request }, signal) =>
          closeSync(await spoolBody(request, { folder, maxBytes, signal })),
        errors: ['limit_reached', 'plan_required', 'concurrency_limit'],
      },
      schema: {
        operationId: 'importExport',
        summary: 'Add what is in an export',
        description:
          'An extension of this server. The body is the zip of `GET /export`, or a zip of Markdown files, at most 100 MB. What is here already stays as it is, so the call can be repeated.',
        tags: ['Export'],
        response: {
          200: dataOf(
            z.object({
              notes: count,
              folders: count,
              transcriptions: count,
              recordings: count,
              dictionary_words: count,
              snippets: count,
              known: z.int().describe('How many were here already.'),
              without_audio: z
                .int()
                .describe(
                  'Recordings that came without their audio: it is missing, no audio, larger than your plan allows, or this server keeps none.',
                ),
              not_transcribed: z
                .int()
                .describe(
                  'Recordings that waited to be transcribed and that came as `failed`, because your plan or your workspace does not allow it, or without their audio.',
                ),
              left_out: z
                .array(z.enum(['transcriptions', 'recordings', 'dictionary', 'snippets']))
                .describe('What this key may not write.'),
            }),
          ),
        },
      },
      handler: async (request, reply) => {
        const client = clientSignal(reply);
        const receive = (signal: AbortSignal) => spoolBody(request, { folder, maxBytes, signal });
        return once(
          request,
          async (as) => ({ data: await imports.takeSent(as, receive, client) }),
          keptWhole,
        );
      },
    });
  };
