import { z } from 'zod';
import { id, timestamp } from './fields.ts';
import type { NoteChanges } from './note.ts';
import type { Plan } from './plans.ts';
import { dayMs } from './rate-limit.ts';

/** An earlier text of a note, as lists show it. */
export const listedRevision = z.object({
  id,
  title: z.string().nullable(),
  saved_at: timestamp.describe('When this text was written.'),
  kept_at: timestamp.describe('When it was replaced.'),
});
export type ListedRevision = z.infer<typeof listedRevision>;

export const revision = listedRevision.extend({
  content: z.string(),
  enhanced_content: z.string().nullable(),
});
export type Revision = z.infer<typeof revision>;

/** Changes within ten minutes are one sitting: only the text from before it is kept. */
const sittingMs = 600_000;

/** How a change keeps the text that it replaces. */
export interface RevisionRule {
  readonly id: string;
  readonly max: number;
  /** Revisions that were kept before this time are dropped. */
  readonly notBefore: string;
  /** A text is kept unless one was kept at this time or later. */
  readonly sittingSince: string;
}

export const revisionRule = (id: string, plan: Plan, now: number, keepsAlways = false): RevisionRule => ({
  id,
  max: plan.revisionsPerNote,
  notBefore: oldestKept(plan, now),
  sittingSince: new Date(keepsAlways ? now + 1 : now - sittingMs).toISOString(),
});

export const oldestKept = ({ revisionDays }: Pick<Plan, 'revisionDays'>, now: number) =>
  new Date(now - revisionDays * dayMs).toISOString();

const texts = ['title', 'content', 'enhanced_content'] as const;
export const changesText = (
  note: Required<Pick<NoteChanges, (typeof texts)[number]>>,
  changes: NoteChanges,
) => texts.some((field) => changes[field] !== undefined && changes[field] !== note[field]);
