import { useEffect, useMemo, useRef } from 'react';
import { placesIn, soughtIn } from '../../lib/find-text.ts';
import { noteStrings } from '../../strings/notes.ts';
import { FindBar, useFinding } from '../../ui/find-bar.tsx';

type Place = { anchor: number; head: number } | undefined;

interface Props {
  text: string;
  onFound(place: Place): void;
  /** With the place that was shown last. */
  onClose(last: Place): void;
}

/** Ctrl+F in a text of which the editor draws only the lines in sight. */
export function FindInText({ text, onFound, onClose }: Props) {
  const finding = useFinding();
  const { wanted, at } = finding;
  const found = useMemo(() => (wanted === undefined ? [] : placesIn(text, wanted)), [text, wanted]);
  const from = found[at];
  const length = soughtIn(wanted ?? '').length;
  const show = useRef(onFound);
  show.current = onFound;
  const place: Place = from === undefined ? undefined : { anchor: from, head: from + length };
  // biome-ignore lint/correctness/useExhaustiveDependencies: each place is shown once, at any number of renders
  useEffect(() => show.current(place), [from, length]);
  return (
    <FindBar label={noteStrings.find} finding={finding} count={found.length} onClose={() => onClose(place)} />
  );
}
