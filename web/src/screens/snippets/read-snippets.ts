import { maxReplacementLength, maxTriggerLength } from '../../api/limits.ts';
import { type Candidates, columnOf, sift } from '../../lib/candidates.ts';
import { parseCsv } from '../../lib/csv.ts';
import type { SnippetDraft } from '../../resources/snippets.ts';

/** With a header, its columns "trigger" and "replacement"; without one, the first comma ends the trigger. */
export function readSnippets(text: string): Candidates<SnippetDraft> {
  const rows = parseCsv(text);
  const trigger = columnOf(rows[0], 'trigger');
  const replacement = columnOf(rows[0], 'replacement');
  const named = trigger !== -1 && replacement !== -1;
  const drafts = (named ? rows.slice(1) : rows).map((cells) => ({
    trigger: ((named ? cells[trigger] : cells[0]) ?? '').trim(),
    replacement: ((named ? cells[replacement] : cells.slice(1).join(',')) ?? '').trim(),
  }));
  return sift(
    drafts,
    (draft) => draft.trigger,
    (draft) => within(draft.trigger, maxTriggerLength) && within(draft.replacement, maxReplacementLength),
  );
}

const within = (text: string, max: number) => text.length >= 1 && text.length <= max;
