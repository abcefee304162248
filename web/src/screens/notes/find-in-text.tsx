import { useEffect, useMemo, useRef, useState } from 'react';
import { useCommands } from '../../lib/commands.ts';
import { placesIn, soughtIn } from '../../lib/find-text.ts';
import { noteStrings } from '../../strings/notes.ts';
import { FindBar } from '../../ui/find-bar.tsx';

type Place = { anchor: number; head: number } | undefined;

interface Props {
  text: string;
  onFound(place: Place): void;
  /** With the place that was shown last. */
  onClose(last: Place): void;
}

/** Ctrl+F in a text of which the editor draws only the lines in sight. */
export function FindInText({ text, onFound, onClose }: Props) {
  const [wanted, setWanted] = useState<string>();
  const [at, setAt] = useState(0);
  useCommands([{ id: 'find', run: () => setWanted((before) => before ?? '') }]);
  const found = useMemo(() => (wanted === undefined ? [] : placesIn(text, wanted)), [text, wanted]);
  const from = found[at];
  const length = soughtIn(wanted ?? '').length;
  const show = useRef(onFound);
  show.current = onFound;
  const place: Place = from === undefined ? undefined : { anchor: from, head: from + length };
  // biome-ignore lint/correctness/useExhaustiveDependencies: each place is shown once, at any number of renders
  useEffect(() => show.current(place), [from, length]);
  if (wanted === undefined) return null;
  return (
    <FindBar
      label={noteStrings.find}
      wanted={wanted}
      onChange={(next) => {
        setWanted(next);
        setAt(0);
      }}
      count={found.length}
      at={at}
      onShow={setAt}
      onClose={() => {
        setWanted(undefined);
        onClose(place);
      }}
    />
  );
}
