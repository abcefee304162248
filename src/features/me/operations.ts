import { z } from 'zod';
import { refusal, transcribeAccess } from '../../domain/access.ts';
import { maxUploadBytes } from '../../domain/audio.ts';
import { planNames } from '../../domain/plans.ts';
import type { Principal } from '../../domain/principal.ts';
import { query } from '../../kernel/operation.ts';
import type { Parts } from '../../kernel/parts.ts';
import { timestamp } from '../../kernel/schemas.ts';

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

export const getMe = query({
  http: 'GET /api/v1/me',
  access: { credential: 'any key' },
  summary: 'What this credential is and may do',
  answer: me,
  run: async ({ who, parts }) => ({
    ...describe(who),
    speech: await speechFor(who, parts),
    language_model: parts.writer.isOn,
  }),
});

async function speechFor(who: Principal, { plans, speech }: Pick<Parts, 'plans' | 'speech'>) {
  const { transcriber, formats } = speech();
  const { model, languages } = transcriber.status();
  const { recordingMaxBytes, recordingMaxMinutes, storageBytes } = plans[who.plan];
  return {
    model,
    languages: [...languages],
    formats: [...(await formats())],
    max_upload_bytes: maxUploadBytes,
    recording_max_bytes: recordingMaxBytes,
    recording_max_minutes: recordingMaxMinutes,
    storage_bytes: storageBytes ?? -1,
    refused: refusal(transcribeAccess, who, plans)?.code ?? null,
  };
}

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
