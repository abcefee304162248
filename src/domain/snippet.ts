import { z } from 'zod';
import { id, timestamp } from './fields.ts';

/** When somebody says `trigger`, `replacement` is written. Triggers are unique per user, compared by `sameTextKey`. */
export const snippet = z.object({
  id,
  trigger: z.string(),
  replacement: z.string(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Snippet = z.infer<typeof snippet>;

/** What its owner may change. */
export type SnippetChanges = Partial<Pick<Snippet, 'trigger' | 'replacement'>>;

export const maxTriggerLength = 100;
export const maxReplacementLength = 5_000;
