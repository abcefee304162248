import { type RefObject, useEffect, useLayoutEffect, useMemo } from 'react';
import { voiceStrings as texts } from '../../strings/voice.ts';
import { FindBar, useFinding } from '../../ui/find-bar.tsx';
import { findSaid } from './find-said.ts';
import type { Spoken } from './spoken.ts';
import { wordAttribute } from './use-marked-word.ts';
import type { Moment } from './use-moment.ts';

const foundAttribute = 'data-found';

interface Props {
  list: RefObject<HTMLElement | null>;
  spoken: Spoken;
  /** Goes to what was found. */
  onShow(moment: Moment): void;
}

/** Ctrl+F in a transcript of which the browser has only the part in sight: its own search would find no more. */
export function FindInSaid({ list, spoken, onShow }: Props) {
  const finding = useFinding();
  const { wanted, at } = finding;
  const found = useMemo(() => findSaid(spoken, wanted ?? ''), [spoken, wanted]);
  const word = found[at];
  const seconds = word === undefined ? undefined : spoken.starts[word];
  // biome-ignore lint/correctness/useExhaustiveDependencies: each word is shown once, at any number of renders
  useEffect(() => {
    if (seconds !== undefined) onShow({ seconds });
  }, [word, seconds]);
  // Paragraphs come and go while one scrolls.
  useLayoutEffect(() => {
    const element = list.current?.querySelector(`[${wordAttribute}="${word}"]`);
    element?.setAttribute(foundAttribute, '');
    return () => element?.removeAttribute(foundAttribute);
  });
  return <FindBar label={texts.find} finding={finding} count={found.length} />;
}
