import type { DictionaryEntry } from '../domain/dictionary.ts';
import { AppError, notFound } from '../domain/errors.ts';
import { type Page, type PageOptions, pageQuery, toPage } from '../domain/page.ts';
import type { Principal } from '../domain/principal.ts';
import { sameTextKey } from '../lib/text.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

export type Dictionary = ReturnType<typeof createDictionary>;

export function createDictionary({ store, clock, newId }: { store: Store; clock: Clock; newId: NewId }) {
  const now = () => new Date(clock()).toISOString();

  return {
    /** Newest first. Raises `validation_error` for a bad cursor. */
    async list({ userId }: Principal, options: PageOptions): Promise<Page<DictionaryEntry>> {
      return toPage(
        'dictionary',
        await store.dictionary.list(userId, pageQuery('dictionary', options)),
        options.limit,
      );
    },

    /** Returns one entry for each word, in the same order. A word that is already there is returned unchanged. */
    async add({ userId }: Principal, words: readonly string[]): Promise<DictionaryEntry[]> {
      const at = now();
      const drafts = words.map((word) => ({
        id: newId(),
        word,
        word_key: sameTextKey(word),
        source: 'manual' as const,
        created_at: at,
        updated_at: at,
      }));
      return store.dictionary.add(userId, drafts);
    },

    /** Changes the spelling. Raises `not_found`, and `conflict` when another entry has the word. */
    async update({ userId }: Principal, id: string, word: string): Promise<DictionaryEntry> {
      const entry = await store.dictionary.update(userId, id, { word, word_key: sameTextKey(word) }, now());
      if (entry === 'not found') throw notFound('Dictionary entry');
      if (entry === 'conflict') throw new AppError('conflict', 'Your dictionary already has this word.');
      return entry;
    },

    /** Raises `not_found`, even for a deleted entry. */
    async remove({ userId }: Principal, id: string): Promise<void> {
      if (!(await store.dictionary.remove(userId, id))) throw notFound('Dictionary entry');
    },

    /** The words that a transcription should know, the most recently used or added first. */
    forPrompt: ({ userId }: Principal, limit: number): Promise<string[]> =>
      store.dictionary.forPrompt(userId, limit),

    /** These words were in a transcription, so they now come first in `forPrompt`. */
    async markUsed({ userId }: Principal, words: readonly string[]): Promise<void> {
      if (words.length > 0) await store.dictionary.markUsed(userId, words.map(sameTextKey), now());
    },
  };
}
