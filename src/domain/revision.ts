import { z } from 'zod';
import { id, timestamp } from './fields.ts';
import { type Expectation, type NoteChanges, note, type StoredNote, type Writer } from './note.ts';
import type { Plan } from './plans.ts';
import { dayMs } from './rate-limit.ts';

/** An earlier text of a note, as lists show it. */
export const listedRevision = z.object({
  id,
  title: z.string().nullable(),
  edited_by: note.shape.edited_by.describe('Id of the user who wrote this text.'),
  edited_with: note.shape.edited_with,
  saved_at: timestamp.describe('When this text was written.'),
  kept_at: timestamp.describe('When it was replaced.'),
});

export const revision = listedRevision.extend({
  content: z.string(),
  content_is_transcript: note.shape.content_is_transcript,
  enhanced_content: z.string().nullable(),
});
export type Revision = z.infer<typeof revision>;

/** How many revisions a note keeps. The new one gets the id. */
export interface RevisionLimits {
  readonly id: string;
  readonly max: number;
  /** Revisions that were kept before this time are dropped. */
  readonly notBefore: string;
}

/** How a text is written: by whom, how many revisions stay, and what the client has read of the note. */
export interface Writing {
  readonly by: Writer;
  readonly limits: RevisionLimits;
  readonly expected?: Expectation;
}

export const revisionLimits = (id: string, plan: Plan, now: number): RevisionLimits => ({
  id,
  max: plan.revisionsPerNote,
  notBefore: oldestKept(plan, now),
});

export const oldestKept = ({ revisionDays }: Pick<Plan, 'revisionDays'>, now: number) =>
  new Date(now - revisionDays * dayMs).toISOString();

const texts = ['title', 'content', 'enhanced_content'] as const;
type Texts = Pick<StoredNote, (typeof texts)[number]>;

export const changesText = (note: Texts, changes: NoteChanges) =>
  texts.some((field) => changes[field] !== undefined && changes[field] !== note[field]);

/**
 * Whether the text that a change replaces becomes a revision: when another session wrote it (a call without one is a session
 * of its own), and when a third of a field goes at once. So no text is gone without one (decision 178).
 */
export function keepsRevision(note: Texts & Pick<StoredNote, 'edit'>, changes: NoteChanges, by: Writer) {
  if (!changesText(note, changes) || texts.every((field) => isBlank(note[field]))) return false;
  if (note.edit === null || note.edit.session !== by.edit?.session) return true;
  return texts.some((field) => changes[field] !== undefined && losesAThird(note[field], changes[field]));
}

const isBlank = (text: string | null) => text === null || text.trim() === '';

/** By what lies between the common beginning and the common end. */
function losesAThird(before: string | null, after: string | null): boolean {
  if (before === null || isBlank(before)) return false;
  const now = after ?? '';
  const shorter = Math.min(before.length, now.length);
  let head = 0;
  while (head < shorter && before[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return (before.length - head - tail) * 3 >= before.length;
}
