import { type RefObject, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { useCommands } from '../../lib/commands.ts';
import { keyOf } from '../../lib/key-of.ts';
import { commonStrings } from '../../strings/common.ts';
import { voiceStrings as texts } from '../../strings/voice.ts';
import { IconButton } from '../../ui/button.tsx';
import { findSaid } from './find-said.ts';
import type { Spoken } from './spoken.ts';
import styles from './transcript.module.css';
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
export function FindBar({ list, spoken, onShow }: Props) {
  const [wanted, setWanted] = useState<string>();
  const [at, setAt] = useState(0);
  useCommands([{ id: 'find', run: () => setWanted((before) => before ?? '') }]);
  const found = useMemo(() => findSaid(spoken, wanted ?? ''), [spoken, wanted]);
  const word = found[at];
  const seconds = word === undefined ? undefined : spoken.starts[word];
  // biome-ignore lint/correctness/useExhaustiveDependencies: each word is shown once, whoever renders
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
  const go = (by: number) => setAt((at + by + found.length) % Math.max(1, found.length));
  return (
    <search className={styles.find}>
      <input
        type="search"
        // biome-ignore lint/a11y/noAutofocus: it appears when somebody asks for it
        autoFocus
        aria-label={texts.find}
        placeholder={texts.find}
        value={wanted}
        onChange={({ target }) => {
          setWanted(target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const key = keyOf(event);
          if (key === 'Enter') go(event.shiftKey ? -1 : 1);
          else if (key === 'Escape') setWanted(undefined);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span className="muted numbers" role="status">
        {wanted.trim() !== '' && texts.found(found.length === 0 ? 0 : at + 1, found.length)}
      </span>
      <IconButton icon="back" label={texts.findBefore} onClick={() => go(-1)} />
      <IconButton icon="next" label={texts.findNext} onClick={() => go(1)} />
      <IconButton icon="close" label={commonStrings.close} onClick={() => setWanted(undefined)} />
    </search>
  );
}
