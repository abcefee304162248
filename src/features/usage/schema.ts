import { z } from 'zod';
import { planNames } from '../../domain/plans.ts';
import { timestamp } from '../../kernel/schemas.ts';

/** What a person has used of their plan, with all their keys together. */
export const usage = z
  .object({
    words_used: z
      .int()
      .describe('On the plan free: in the last seven days. On other plans: in this calendar month (UTC).'),
    words_remaining: z.int().describe('-1 means no limit.'),
    limit: z.int().describe('-1 means no limit.'),
    plan: z.enum(planNames),
    is_subscribed: z.boolean(),
    current_period_end: timestamp.nullable(),
    billing_interval: z.enum(['monthly', 'annual']).nullable(),
    audio_ms_used: z.int().describe('In this calendar month (UTC).'),
    audio_ms_limit: z.int(),
    audio_resets_at: timestamp,
    recording_ms_used: z
      .int()
      .describe('Of recordings, in this calendar month (UTC); an extension of this server.'),
    recording_ms_limit: z.int().describe('-1 means no limit.'),
    storage_bytes_used: z
      .int()
      .describe('Of audio that is kept, has arrived or was announced; an extension.'),
    storage_bytes_limit: z.int().describe('-1 means no limit.'),
    open_uploads: z.int(),
    open_uploads_limit: z.int(),
    llm_tokens_used: z
      .int()
      .describe('Of language models, sent and received, in this calendar month (UTC); an extension.'),
    llm_tokens_limit: z.int().describe('-1 means no limit.'),
  })
  .meta({ id: 'Usage' });

export const usageDay = z.object({
  date: z.string().describe('A day, UTC: `2026-05-03`.'),
  words: z.int(),
  audio_ms: z.int().describe('Of recordings and other audio.'),
});

export type Usage = z.infer<typeof usage>;
export type UsageDay = z.infer<typeof usageDay>;
