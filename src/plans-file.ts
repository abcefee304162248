import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { defaultPlans, type Plans } from './domain/plans.ts';

const perWindow = z.int().min(1).exactOptional();
// Strict: a field that is misspelt would otherwise leave its default standing without a word.
const plan = z
  .strictObject({
    requestsPerMinute: perWindow,
    requestsPerDay: perWindow,
    transcription: z.boolean().exactOptional(),
    wordsPerWeek: z.int().min(0).nullable().exactOptional(),
    audioMinutesPerMonth: z.number().min(0).exactOptional(),
  })
  .default({});
const plansFile = z.strictObject({ free: plan, pro: plan, business: plan });

/** The table of plans with what the file changes in it. Says every problem through `report`, with its place. */
export function readPlansFile(file: string, report: (message: string) => void): Plans {
  try {
    const result = plansFile.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    if (result.success) return withChanges(result.data);
    for (const { path, message } of result.error.issues) report([...path, message].join(': '));
  } catch (cause) {
    report(cause instanceof SyntaxError ? `${file} is not valid JSON.` : `${file} cannot be read.`);
  }
  return defaultPlans;
}

const withChanges = ({ free, pro, business }: z.infer<typeof plansFile>): Plans => ({
  free: { ...defaultPlans.free, ...free },
  pro: { ...defaultPlans.pro, ...pro },
  business: { ...defaultPlans.business, ...business },
});
