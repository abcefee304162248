import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { defaultPlans, type Plans } from './domain/plans.ts';
import { explainIssues } from './lib/explain-issues.ts';

const perWindow = z.int().min(1).exactOptional();
// Strict, because a misspelt field would otherwise be ignored without a message.
const plan = z
  .strictObject({
    requestsPerMinute: perWindow,
    requestsPerDay: perWindow,
    transcription: z.boolean().exactOptional(),
    wordsPerWeek: z.int().min(0).nullable().exactOptional(),
    audioMinutesPerMonth: z.number().min(0).exactOptional(),
    recordingMaxBytes: z.int().min(0).exactOptional(),
    recordingMaxMinutes: z.number().min(0).exactOptional(),
    recordingMinutesPerMonth: z.number().min(0).nullable().exactOptional(),
    storageBytes: z.int().min(0).nullable().exactOptional(),
    openUploads: z.int().min(1).exactOptional(),
    revisionsPerNote: z.int().min(0).max(1000).exactOptional(),
    revisionDays: z.int().min(1).max(36_500).exactOptional(),
    llmTokensPerMonth: z.int().min(0).nullable().exactOptional(),
  })
  .default({});
const plansFile = z.strictObject({ free: plan, pro: plan, business: plan });

/** The default plans with the changes from the file. Reports every problem with its place in the file. */
export function readPlansFile(file: string, report: (problem: string) => void): Plans {
  try {
    const given: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const { data, error } = plansFile.safeParse(given);
    if (!error) return withChanges(data);
    for (const sentence of explainIssues(plansFile, given, error, 'it'))
      report(`names ${file}, where ${sentence.slice(0, -1)}`);
  } catch (cause) {
    report(`names ${file}, which ${cause instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read'}`);
  }
  return defaultPlans;
}

const withChanges = ({ free, pro, business }: z.infer<typeof plansFile>): Plans => ({
  free: { ...defaultPlans.free, ...free },
  pro: { ...defaultPlans.pro, ...pro },
  business: { ...defaultPlans.business, ...business },
});
