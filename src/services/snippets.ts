import { AppError, notFound } from '../domain/errors.ts';
import { type Page, type PageOptions, pageQuery, toPage } from '../domain/page.ts';
import type { Principal } from '../domain/principal.ts';
import type { Snippet, SnippetChanges } from '../domain/snippet.ts';
import { sameTextKey } from '../lib/text.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

export type Snippets = ReturnType<typeof createSnippets>;

export function createSnippets({ store, clock, newId }: { store: Store; clock: Clock; newId: NewId }) {
  const now = () => new Date(clock()).toISOString();

  return {
    /** Newest first. Raises `validation_error` for a bad cursor. */
    async list({ userId }: Principal, options: PageOptions): Promise<Page<Snippet>> {
      return toPage(
        'snippets',
        await store.snippets.list(userId, pageQuery('snippets', options)),
        options.limit,
      );
    },

    get: ({ userId }: Principal, id: string): Promise<Snippet | undefined> => store.snippets.get(userId, id),

    /** Raises `conflict` if the user already has the trigger. */
    async create({ userId }: Principal, draft: { trigger: string; replacement: string }): Promise<Snippet> {
      const at = now();
      const snippet: Snippet = { id: newId(), ...draft, created_at: at, updated_at: at };
      const trigger_key = sameTextKey(draft.trigger);
      if ((await store.snippets.insert(userId, { ...snippet, trigger_key })) === 'conflict')
        throw takenTrigger();
      return snippet;
    },

    /** Changes the given fields. Raises `not_found`, and `conflict` if another snippet has the trigger. */
    async update({ userId }: Principal, id: string, changes: SnippetChanges): Promise<Snippet> {
      const { trigger } = changes;
      const keyed = trigger === undefined ? changes : { ...changes, trigger_key: sameTextKey(trigger) };
      const snippet = await store.snippets.update(userId, id, keyed, now());
      if (snippet === 'not found') throw notFound('Snippet');
      if (snippet === 'conflict') throw takenTrigger();
      return snippet;
    },

    /** Raises `not_found`, even for a deleted snippet. */
    async remove({ userId }: Principal, id: string): Promise<void> {
      if (!(await store.snippets.remove(userId, id))) throw notFound('Snippet');
    },
  };
}

export const takenTrigger = () => new AppError('conflict', 'Another snippet already has this trigger.');
