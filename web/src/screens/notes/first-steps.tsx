import { useEffect } from 'react';
import { navigate } from '../../lib/router.tsx';
import { askToRecord } from '../../recorder/state.ts';
import { endFirstSteps, refreshFirstSteps, useFirstSteps } from '../../resources/first-steps.ts';
import type { ListedNote } from '../../resources/note-list.ts';
import { firstStepStrings as texts } from '../../strings/first-steps.ts';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useAction } from '../../ui/use-action.ts';
import styles from './first-steps.module.css';

interface Props {
  userId: string;
  notes: readonly Pick<ListedNote, 'created_at' | 'updated_at'>[];
  onWrite(): void;
}

const latest = (times: readonly string[]) => times.reduce((last, time) => (time > last ? time : last), '');

/** Three things to try, above the notes of a new person. Each is ticked when it has been done, in this browser or another. */
export function FirstSteps({ userId, notes, onWrite }: Props) {
  const { data } = useFirstSteps(userId);
  const isShown = data?.shown ?? false;
  const isAllDone = isShown && data?.recorded && data.wrote && data.connected;
  // Something recorded is a new note; what is written may also be in the sample. Reading the same list again is no change.
  const lastAct = latest(notes.map((note) => (data?.wrote ? note.created_at : note.updated_at)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: after everything that the person does with notes
  useEffect(() => {
    if (isShown) void refreshFirstSteps();
  }, [lastAct]);
  const { mutate: end } = useAction(() => endFirstSteps());
  useEffect(() => {
    if (isAllDone) end();
  }, [isAllDone, end]);
  if (!data?.shown || isAllDone) return null;
  const { recorded, wrote, connected, sample_id } = data;
  const steps = [
    { label: texts.recorded, isDone: recorded, run: askToRecord },
    {
      label: texts.wrote,
      isDone: wrote,
      run: () => (sample_id ? navigate(`/notes/${sample_id}`) : onWrite()),
    },
    { label: texts.connected, isDone: connected, run: () => navigate('/keys') },
  ];
  return (
    <section className={styles.steps} aria-label={texts.title}>
      <header>
        <h2>{texts.title}</h2>
        <IconButton icon="close" label={texts.dismiss} onClick={() => end()} />
      </header>
      <ol>
        {steps.map(({ label, isDone, run }) => (
          <li key={label}>
            <button type="button" data-done={isDone || undefined} onClick={() => void run()}>
              <span className={styles.tick}>{isDone && <Icon name="check" size={14} />}</span>
              {label}
              {isDone && <span className="visually-hidden">{texts.done}</span>}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
