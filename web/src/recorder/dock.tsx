import { useEffect, useRef, useState } from 'react';
import { typesText } from '../lib/command-table.ts';
import { keyOf } from '../lib/key-of.ts';
import { noteHref } from '../lib/note-links.ts';
import { navigate } from '../lib/router.tsx';
import { useStore } from '../lib/store.ts';
import type { Me } from '../resources/session.ts';
import { commonStrings } from '../strings/common.ts';
import { recorderStrings as texts } from '../strings/recorder.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/states.tsx';
import { toast } from '../ui/toast.tsx';
import { type Item, isHeldUp } from './item.ts';
import { openQueue, queueOfPage, useItems, useQueue } from './page-queue.ts';
import { explainProblem } from './problems.ts';
import { QueueLine } from './queue-line.tsx';
import { checkAllowed, endRecording, startRecording, stopRecording } from './record.ts';
import styles from './recorder.module.css';
import { RecordingBar } from './recording-bar.tsx';
import { asked, heldUploads, type RecorderState, recorder, useRecorder, wish } from './state.ts';

/** At the foot of every screen: the recorder, and the recordings that are not notes yet. */
export function Dock({ me }: { me: Me }) {
  const queue = useStore(openQueue);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each person
  useEffect(() => {
    const opened = queueOfPage(me, tellResumed);
    openQueue.set(opened);
    return () => {
      endRecording();
      opened.close();
      openQueue.set(undefined);
    };
  }, [me.user_id]);
  return queue && <OpenDock me={me} />;
}

function OpenDock({ me }: { me: Me }) {
  const state = useRecorder();
  const queue = useQueue();
  const items = useItems();
  useWishes(me);
  const held = items.filter(isHeldUp).length;
  useEffect(() => {
    heldUploads.set(held);
    return () => heldUploads.set(0);
  }, [held]);
  const current = state.step === 'recording' || state.step === 'finishing' ? state.id : undefined;
  useOpenNote(
    items.find(({ id }) => id === current),
    state,
  );
  const others = items.filter(({ id }) => id !== current);

  return (
    <>
      {state.step === 'choosing' && (
        <Choosing
          name={state.note.name}
          onChoose={(isInto) =>
            void startRecording(
              queue,
              me,
              isInto ? { ...state.to, noteId: state.note.id, name: state.note.name } : state.to,
            )
          }
        />
      )}
      {state.step === 'asking' && (
        <p className={styles.asking} role="status">
          {texts.asking} {state.to && texts.goesTo(state.to.name)}
        </p>
      )}
      {state.step === 'refused' && (
        <div className={styles.refused}>
          <Notice tone="danger" title={state.problem.title}>
            <p>{state.problem.detail}</p>
          </Notice>
          <Button look="quiet" onClick={() => recorder.set({ step: 'off' })}>
            {commonStrings.dismiss}
          </Button>
        </div>
      )}
      {(state.step === 'recording' || state.step === 'finishing') && <RecordingBar state={state} />}
      {others.length > 0 && <QueueLine items={others} />}
    </>
  );
}

/** The person who was writing can go on: the focus returns to where it was. */
function Choosing({ name, onChoose }: { name: string; onChoose(isInto: boolean): void }) {
  const [before] = useState(focused);
  const first = useRef<HTMLDivElement>(null);
  useEffect(() => {
    first.current?.querySelector('button')?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [before]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc dismisses it, as the button does
    <div
      ref={first}
      className={styles.refused}
      onKeyDown={(event) => {
        if (keyOf(event) === 'Escape') recorder.set({ step: 'off' });
      }}
    >
      <Notice title={texts.where}>
        <p className={styles.choices}>
          <Button look="primary" icon="mic" onClick={() => onChoose(true)}>
            {texts.intoNote(name)}
          </Button>
          <Button onClick={() => onChoose(false)}>{texts.newNote}</Button>
        </p>
      </Notice>
      <Button look="quiet" onClick={() => recorder.set({ step: 'off' })}>
        {commonStrings.cancel}
      </Button>
    </div>
  );
}

/** The element with the focus, also inside the editor, which has a tree of its own. */
function focused(): Element | null {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

function useWishes(me: Me): void {
  const queue = useQueue();
  const wished = useStore(wish);
  useEffect(() => {
    if (!wished) return;
    wish.set(undefined);
    const isFree = !['asking', 'recording'].includes(recorder.get().step);
    if (wished.kind === 'record' && wished.note && isFree)
      recorder.set({ step: 'choosing', to: wished.to, note: wished.note });
    else if (wished.kind === 'record') void startRecording(queue, me, wished.to);
    else if (wished.kind === 'stop') stopRecording();
    else
      checkAllowed(me)
        .then(() => queue.addFiles(wished.files, asked.get(), wished.to))
        .catch((error: unknown) => recorder.set({ step: 'refused', problem: explainProblem(error) }));
  }, [wished, me, queue]);
}

/** Opens the note if the person is still where they pressed Stop. If they moved on or are writing, shows a message. */
function useOpenNote(item: Item | undefined, finishing: RecorderState): void {
  const queue = useQueue();
  useEffect(() => {
    if (!item || finishing.step !== 'finishing') return;
    if (item.state.step === 'failed') recorder.set({ step: 'off' });
    if (item.state.step !== 'done') return;
    recorder.set({ step: 'off' });
    void queue.giveUp(item);
    const { noteId } = item.state;
    if (!noteId) return;
    const open = () => void navigate(noteHref(noteId, item.to ?? {}));
    const writes = document.activeElement?.closest(typesText);
    const isHere = window.location.pathname === `/notes/${noteId}`;
    if (item.to?.noteId === noteId && isHere) toast({ title: texts.inTranscript });
    else if (window.location.pathname === finishing.place && !writes) open();
    else toast({ title: texts.ready(item.name), action: { label: texts.openNote, run: open } });
  }, [item, finishing, queue]);
}

const tellResumed = ({ name }: Item) => toast({ title: texts.resumed(name), detail: texts.resumedDetail });
