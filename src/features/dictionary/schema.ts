import { z } from 'zod';
import { id, label, timestamp } from '../../kernel/schemas.ts';

/** A word that speech recognition should know how to spell. Unique per person, compared by `sameTextKey`. */
export const dictionaryEntry = z
  .object({
    id,
    word: z.string(),
    source: z.enum(['manual', 'learned']),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'DictionaryEntry' });
export type DictionaryEntry = z.infer<typeof dictionaryEntry>;

export const maxWordLength = 100;
export const maxWordsPerRequest = 200;

export const word = label(maxWordLength);
export const newWords = z
  .object({
    words: z.array(word).min(1).max(maxWordsPerRequest).optional(),
    word: word.optional().describe('The same as `words` with one item.'),
  })
  .refine((body) => (body.words === undefined) !== (body.word === undefined), {
    path: ['words'],
    message: 'is required, unless you send word; send only one of the two',
  });
