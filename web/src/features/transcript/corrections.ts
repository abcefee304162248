import type { Paragraph, Sentence } from './spoken.ts';

/** What a person may change in a transcript. */
export interface Corrections {
  /** Resolves when the transcript shows it. */
  correct(sentence: Sentence, text: string): Promise<void>;
  rename(speaker: string, name: string): void;
  /** Another person says this paragraph. */
  assign(paragraph: Paragraph, speaker: string): void;
}
