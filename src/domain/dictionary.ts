import { z } from 'zod';
import { id, timestamp } from './fields.ts';

/** A word that speech recognition should know how to spell. Unique per user, compared by `sameTextKey`. */
export const dictionaryEntry = z.object({
  id,
  word: z.string(),
  source: z.enum(['manual', 'learned']),
  created_at: timestamp,
  updated_at: timestamp,
});
export type DictionaryEntry = z.infer<typeof dictionaryEntry>;

export const maxWordLength = 100;
export const maxWordsPerRequest = 200;
