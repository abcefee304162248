import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import type { Playback } from '../../lib/playback.ts';
import { type Spoken, wordAt } from './spoken.ts';

export const wordAttribute = 'data-word';
const nowAttribute = 'data-now';
const calm = window.matchMedia('(prefers-reduced-motion: reduce)');

/**
 * Marks the word that is spoken, and keeps it in sight unless the reader has scrolled away. Only two elements change, by
 * hand: drawing the text again for every word would keep a long transcript busy.
 */
export function useMarkedWord(
  list: RefObject<HTMLElement | null>,
  spoken: Spoken,
  playback: Playback | undefined,
): void {
  const marked = useRef<Element>(undefined);
  const mark = useRef<() => void>(() => {});
  useEffect(() => {
    if (!playback) return;
    let place = playback.state.get().seconds;
    mark.current = () => {
      // Before somebody plays it, nothing is spoken.
      const number = place > 0 ? wordAt(spoken.starts, place) : -1;
      const word = list.current?.querySelector(`[${wordAttribute}="${number}"]`) ?? undefined;
      if (word === marked.current) return;
      const before = marked.current;
      before?.removeAttribute(nowAttribute);
      word?.setAttribute(nowAttribute, '');
      marked.current = word;
      const isNewLine =
        before && word && before.getBoundingClientRect().top !== word.getBoundingClientRect().top;
      if (isNewLine && playback.state.get().isPlaying && isInSight(before))
        word.scrollIntoView({ block: 'nearest', behavior: calm.matches ? 'instant' : 'smooth' });
    };
    const stop = playback.onTick((seconds) => {
      place = seconds;
      mark.current();
    });
    return () => {
      stop();
      marked.current?.removeAttribute(nowAttribute);
      marked.current = undefined;
    };
  }, [list, spoken, playback]);
  // Paragraphs come and go as the page is scrolled.
  useLayoutEffect(() => mark.current());
}

function isInSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return element.isConnected && bottom > 0 && top < window.innerHeight;
}
