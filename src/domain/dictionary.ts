export const dictionarySources = ['manual', 'learned'] as const;
export type DictionarySource = (typeof dictionarySources)[number];

/** A word that speech recognition should know how to spell. No two of a user are the same by `sameTextKey`. */
export interface DictionaryEntry {
  id: string;
  word: string;
  source: DictionarySource;
  created_at: string;
  updated_at: string;
}

export const maxWordLength = 100;
export const maxWordsPerRequest = 200;
