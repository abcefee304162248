import { type RefObject, useEffect } from 'react';
import type { Playback } from '../../lib/playback.ts';
import { type Spoken, wordAt } from './spoken.ts';
import { wordAttribute } from './use-marked-word.ts';

/** Where the person asked to begin. A new one for each time they ask. */
export interface Moment {
  readonly seconds: number;
}

/** The transcript may be left and opened again: each moment is gone to once. */
const [sought, shown] = [new WeakSet<Moment>(), new WeakSet<Moment>()];
/** The page settles while its parts load and long lists are measured. */
const [stillFrames, maxFrames] = [5, 60];

/** Puts the player there, without playing. */
export function useSeek(playback: Playback | undefined, moment: Moment | undefined): void {
  useEffect(() => {
    if (!playback || !moment || sought.has(moment)) return;
    sought.add(moment);
    playback.seek(moment.seconds);
  }, [playback, moment]);
}

/** Scrolls to the word that is said then. */
export function useShownMoment(
  list: RefObject<HTMLElement | null>,
  { paragraphs, starts }: Spoken,
  moment: Moment | undefined,
  scrollTo: (paragraph: number) => void,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each moment, however often the list is rendered
  useEffect(() => {
    if (!moment || shown.has(moment) || paragraphs.length === 0) return;
    shown.add(moment);
    const word = Math.max(0, wordAt(starts, moment.seconds));
    const paragraph = paragraphs.findLastIndex(({ sentences }) => (sentences[0]?.firstWord ?? 0) <= word);
    let [frame, still, place, left] = [0, 0, Number.NaN, maxFrames];
    function settle() {
      const element = list.current?.querySelector(`[${wordAttribute}="${word}"]`);
      if (element) element.scrollIntoView({ block: 'center' });
      else scrollTo(paragraph);
      const top = element?.getBoundingClientRect().top ?? Number.NaN;
      still = top === place ? still + 1 : 0;
      place = top;
      left -= 1;
      if (still < stillFrames && left > 0) frame = requestAnimationFrame(settle);
    }
    settle();
    return () => cancelAnimationFrame(frame);
  }, [moment, paragraphs]);
}
