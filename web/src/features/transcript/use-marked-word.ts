import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import type { Playback } from '../../lib/playback.ts';
import { type Spoken, wordAt } from './spoken.ts';

export const wordAttribute = 'data-word';
const nowAttribute = 'data-now';
const calm = window.matchMedia('(prefers-reduced-motion: reduce)');

/**
 * Marks the spoken word and keeps it visible unless the reader has scrolled away. It changes only two elements, outside
 * React: rendering a long transcript again for every word would be too slow.
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
      // Nothing is marked before the first play.
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
  // Paragraphs are added and removed while scrolling.
  useLayoutEffect(() => mark.current());
}

function isInSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return element.isConnected && bottom > 0 && top < window.innerHeight;
}
