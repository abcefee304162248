import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { refusal, transcribeAccess } from '../../domain/access.ts';
import { type Plans, planNames } from '../../domain/plans.ts';
import type { Principal } from '../../domain/principal.ts';
import type { LanguageWriter } from '../../engines/ports/writer.ts';
import { dataOf, timestamp } from '../../kernel/schemas.ts';
import { principalOf } from '../../platform/http/request.ts';
import type { Transcribe } from '../transcribe/transcribe.ts';

const me = z
  .object({
    scopes: z.array(z.string()).describe('Expanded: no wildcard.'),
    expires_at: timestamp.nullable(),
    user_id: z.string(),
    plan: z.enum(planNames),
    key: z.object({ id: z.uuid(), name: z.string(), kind: z.enum(['personal', 'workspace']) }).nullable(),
    speech: z
      .object({
        model: z.string(),
        languages: z
          .array(z.string())
          .describe('ISO 639-1 codes; empty when the speech engine does not say.'),
        formats: z.array(z.string()).describe('Audio formats that `POST /transcribe` reads.'),
        max_upload_bytes: z.int().describe('The largest file that `POST /transcribe` takes.'),
        recording_max_bytes: z.int().describe('The largest recording that your plan allows.'),
        recording_max_minutes: z.number().describe('The longest recording that your plan allows.'),
        storage_bytes: z.int().describe('All the audio that your plan keeps; -1 means no limit.'),
        refused: z
          .string()
          .nullable()
          .describe(
            'The error that `POST /transcribe` would answer, because of your plan, your scopes or a policy.',
          ),
      })
      .describe('What this server can transcribe.'),
    operator: z.boolean().describe('Whether this session may see and govern the server.'),
    language_model: z.boolean().describe('Whether this server has a language model.'),
  })
  .meta({ id: 'Me' });

interface Dependencies {
  transcribe: Transcribe;
  plans: Plans;
  writer: Pick<LanguageWriter, 'isOn'>;
}

export const meRoutes =
  ({ transcribe, plans, writer }: Dependencies): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/me',
      config: { access: { credential: 'any key' } },
      schema: {
        operationId: 'getMe',
        summary: 'What this credential is and may do',
        tags: ['Me'],
        response: { 200: dataOf(me) },
      },
      handler: async (request) => {
        const principal = principalOf(request);
        const refused = refusal(transcribeAccess, principal, plans)?.code ?? null;
        const { recordingMaxBytes, recordingMaxMinutes, storageBytes } = plans[principal.plan];
        const recordings = {
          recording_max_bytes: recordingMaxBytes,
          recording_max_minutes: recordingMaxMinutes,
          storage_bytes: storageBytes ?? -1,
        };
        const speech = { ...(await transcribe.accepts()), ...recordings, refused };
        return { data: { ...describe(principal), speech, language_model: writer.isOn } };
      },
    });
  };

const describe = (principal: Principal) => ({
  scopes: [...principal.scopes],
  expires_at: principal.expiresAt,
  user_id: principal.userId,
  plan: principal.plan,
  operator: principal.kind === 'session' && principal.isOperator,
  key:
    principal.kind === 'personal' || principal.kind === 'workspace'
      ? { ...principal.key, kind: principal.kind }
      : null,
});
