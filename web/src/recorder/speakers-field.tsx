import { useState } from 'react';
import { setSpeakers } from '../resources/recordings.ts';
import { recorderStrings } from '../strings/recorder.ts';
import { SelectField } from '../ui/field.tsx';
import { toastError } from '../ui/toast.tsx';
import type { Item } from './item.ts';
import styles from './recorder.module.css';

const texts = recorderStrings.speakers;
const numbers = ['1', '2', '3', '4', '5', '6', '7', '8'].map((name) => ({ id: name, name }));

interface Props {
  value: string;
  hint?: string;
  onChoose(speakers: string): void;
}

/** Asked wherever sound is sent; empty if it is not known. */
export const SpeakersField = (props: Props) => (
  <SelectField {...props} label={texts.label} options={[{ id: '', name: texts.any }, ...numbers]} />
);

/** Of one that is being sent. The server tells people apart when it has all of it. */
export function SpeakersOf({ item: { recordingId, asked, state } }: { item: Item }) {
  const [chosen, setChosen] = useState(asked.speakers ?? '');
  if (!recordingId || (state.step !== 'sending' && state.step !== 'transcribing')) return null;
  function choose(speakers: string) {
    setChosen(speakers);
    setSpeakers(recordingId ?? '', speakers).catch((error: unknown) => {
      setChosen(chosen);
      toastError(error);
    });
  }
  return (
    <div className={styles.speakers}>
      <SpeakersField value={chosen} onChoose={choose} />
    </div>
  );
}
