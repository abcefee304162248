import { type RefObject, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { useCommands } from '../../lib/commands.ts';
import { voiceStrings as texts } from '../../strings/voice.ts';
import { FindBar } from '../../ui/find-bar.tsx';
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
  const [wanted, setWanted] = useState<string>();
  const [at, setAt] = useState(0);
  useCommands([{ id: 'find', run: () => setWanted((before) => before ?? '') }]);
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
  if (wanted === undefined) return null;
  return (
    <FindBar
      label={texts.find}
      wanted={wanted}
      onChange={(next) => {
        setWanted(next);
        setAt(0);
      }}
      count={found.length}
      at={at}
      onShow={setAt}
      onClose={() => setWanted(undefined)}
    />
  );
}
