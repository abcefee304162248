import { memo, type ReactNode } from 'react';
import { voiceStrings as texts } from '../../strings/voice.ts';
import type { Sentence } from './spoken.ts';
import styles from './transcript.module.css';

interface Props {
  sentence: Sentence;
  mark(text: string): ReactNode;
}

/** A sentence, word by word. It is drawn once: the mark of the spoken word moves without it. */
export const Said = memo(({ sentence, mark }: Props) => (
  <>
    {sentence.words.map(({ before, text, isUnsure }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: words have no other name
      <span key={at}>
        {before}
        <span
          data-word={sentence.firstWord + at}
          className={isUnsure ? styles.unsure : undefined}
          title={isUnsure ? texts.unsureWord : undefined}
        >
          {mark(text)}
        </span>
        {isUnsure && <span className={`visually-hidden ${styles.aside}`}> ({texts.unsure})</span>}
      </span>
    ))}{' '}
  </>
));
