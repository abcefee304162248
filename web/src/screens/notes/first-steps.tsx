import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { askToRecord } from '../../recorder/state.ts';
import { endFirstSteps, refreshFirstSteps, useFirstSteps } from '../../resources/first-steps.ts';
import { firstStepStrings as texts } from '../../strings/first-steps.ts';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { toastError } from '../../ui/toast.tsx';
import styles from './first-steps.module.css';

interface Props {
  userId: string;
  /** When the list of notes was read last: it changes with what somebody does. */
  listedAt: number;
  onWrite(): void;
}

/** Three things to try, above the notes of a new person. Each is ticked when it has been done, wherever that was. */
export function FirstSteps({ userId, listedAt, onWrite }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data } = useFirstSteps(userId);
  const isShown = data?.shown ?? false;
  // biome-ignore lint/correctness/useExhaustiveDependencies: after every change of the list
  useEffect(() => {
    if (isShown) void refreshFirstSteps(client);
  }, [listedAt]);
  const dismiss = useMutation({ mutationFn: () => endFirstSteps(client), onError: toastError });
  if (!data?.shown) return null;
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
        <IconButton icon="close" label={texts.dismiss} onClick={() => dismiss.mutate()} />
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
