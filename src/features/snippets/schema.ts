import { z } from 'zod';
import { atLeastOne, id, label, text, timestamp } from '../../kernel/schemas.ts';

/** When a person says `trigger`, `replacement` is written. Triggers are unique per person, compared by `sameTextKey`. */
export const snippet = z
  .object({
    id,
    trigger: z.string(),
    replacement: z.string(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Snippet' });
export type Snippet = z.infer<typeof snippet>;

export const maxTriggerLength = 100;
export const maxReplacementLength = 5_000;

export const snippetDraft = z.object({
  trigger: label(maxTriggerLength),
  replacement: text(maxReplacementLength),
});
export const snippetChanges = atLeastOne(snippetDraft);
export type SnippetChanges = z.infer<typeof snippetChanges>;
