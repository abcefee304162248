import { useId, useRef, useState } from 'react';
import { formatBytes } from '../lib/format.ts';
import { noteHref } from '../lib/note-links.ts';
import { Link } from '../lib/router.tsx';
import { saveFile } from '../lib/save-file.ts';
import { recorderStrings } from '../strings/recorder.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { toast, toastError } from '../ui/toast.tsx';
import { useConfirm } from '../ui/use-confirm.tsx';
import { type Item, isClearable, isOnlyCopy, nameOf } from './item.ts';
import { useQueue } from './page-queue.ts';
import { throwAway } from './record.ts';
import styles from './recorder.module.css';
import { SpeakersOf } from './speakers-field.tsx';

const texts = recorderStrings.queue;

/** One line for all recordings in progress; it opens to a list. */
export function QueueLine({ items }: { items: readonly Item[] }) {
  const queue = useQueue();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const inWork = items.filter(({ state }) => ['waiting', 'sending', 'transcribing'].includes(state.step));
  const troubled = items.filter(({ state }) => ['failed', 'missing'].includes(state.step));
  const over = items.filter(isClearable);
  const title = titleOf(inWork.length, troubled.length, items.length);
  return (
    <section className={styles.queue} aria-label={texts.label}>
      {isOpen && (
        <div id={id}>
          <QueueItems items={items} />
          {over.length > 1 && (
            <Button
              look="quiet"
              className={styles.clear}
              onClick={() => void Promise.all(over.map((item) => queue.giveUp(item)))}
            >
              {texts.clear}
            </Button>
          )}
        </div>
      )}
      <button
        type="button"
        className={styles.line}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={troubled.length > 0 ? 'alert' : inWork.length > 0 ? 'upload' : 'check'} />
        <span className="truncate">{title}</span>
        {inWork.length > 0 && <Bar label={title} share={meanShare(inWork)} />}
        <span className={isOpen ? styles.chevron : `${styles.chevron} ${styles.closed}`}>
          <Icon name="down" />
        </span>
      </button>
    </section>
  );
}

export const QueueItems = ({ items }: { items: readonly Item[] }) => (
  <ul className={styles.items}>
    {items.map((item) => (
      <QueueItem key={item.id} item={item} />
    ))}
  </ul>
);

function titleOf(inWork: number, troubled: number, all: number): string {
  if (inWork === 0) return troubled === 0 ? texts.ready(all) : texts.troubled(troubled);
  return texts.inWork(inWork) + (troubled === 0 ? '' : `, ${texts.troubledToo(troubled)}`);
}

function QueueItem({ item }: { item: Item }) {
  const queue = useQueue();
  const { state } = item;
  const name = nameOf(item);
  const isTroubled = state.step === 'failed' || state.step === 'missing';
  const isOver = state.step === 'done' || state.step === 'failed';
  const [question, confirm] = useConfirm();
  const audio = item.kind === 'spoken' && state.step === 'failed' ? queue.audioOf(item) : undefined;
  return (
    <li className={styles.item}>
      <div className={styles.itemText}>
        <span className={styles.itemName} dir="auto">
          {name}
        </span>
        <span className={isTroubled ? styles.trouble : 'muted'} role="status">
          {stateOf(item)}
        </span>
        {item.to && !isOver && <span className="muted">{recorderStrings.goesTo(item.to.name)}</span>}
        <SpeakersOf key={item.recordingId} item={item} />
        {(state.step === 'sending' || state.step === 'transcribing') && (
          <Bar label={stateOf(item)} share={shareOf(item)} />
        )}
      </div>
      {state.step === 'done' && state.noteId && (
        <Link
          className="button"
          to={noteHref(state.noteId, item.to ?? {})}
          onClick={() => void queue.giveUp(item)}
        >
          {recorderStrings.openNote}
        </Link>
      )}
      {state.step === 'failed' && state.mayRetry && (
        <Button onClick={() => queue.retry(item).catch(toastError)}>{texts.retry}</Button>
      )}
      {audio && (
        <Button icon="download" onClick={() => saveFile(`recording.${endingOf(audio)}`, audio)}>
          {texts.save}
        </Button>
      )}
      {state.step === 'missing' && <ChooseAgain item={item} />}
      <IconButton
        icon="close"
        label={isOver ? texts.dismiss(name) : texts.giveUp(name)}
        onClick={() =>
          isOnlyCopy(item)
            ? confirm({
                title: recorderStrings.discardTitle,
                description: texts.onlyCopy(name),
                action: recorderStrings.discard,
                run: async () => void throwAway(queue, item),
              })
            : void throwAway(queue, item)
        }
      />
      {question}
    </li>
  );
}

function ChooseAgain({ item }: { item: Item }) {
  const queue = useQueue();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onClick={() => input.current?.click()}>{texts.choose}</Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={`${texts.choose}: ${item.name}`}
        onChange={({ target }) => {
          const file = target.files?.[0];
          if (file && !queue.giveFile(item, file))
            toast({ title: texts.wrongFile(item.name), tone: 'danger' });
          target.value = '';
        }}
      />
    </>
  );
}

const Bar = ({ label, share }: { label: string; share: number | undefined }) => (
  <progress
    className={styles.progress}
    aria-label={label}
    max={1}
    {...(share === undefined ? {} : { value: share })}
  />
);

function stateOf(item: Item): string {
  const { state } = item;
  switch (state.step) {
    case 'waiting':
      return texts.waiting;
    case 'sending':
      if (!state.isTaken) return texts.away;
      return item.kind === 'spoken'
        ? texts.sendingSpoken
        : texts.sending(formatBytes(state.sent), formatBytes(item.size));
    case 'missing':
      return texts.missing;
    case 'transcribing':
      return state.isQueued ? texts.queued : texts.transcribing(Math.round(state.progress * 100));
    case 'done':
      return texts.done;
    case 'failed':
      return `${state.problem.title}. ${state.problem.detail}`;
  }
}

/** Undefined if it is not known. */
function shareOf({ kind, size, state }: Item): number | undefined {
  if (state.step === 'sending') return kind === 'spoken' ? undefined : state.sent / size;
  return state.step === 'transcribing' && !state.isQueued ? state.progress : undefined;
}

/** The upload is the first half, the transcription the second. */
function meanShare(items: readonly Item[]): number {
  const shares = items.map((item) => {
    const share = shareOf(item) ?? 0;
    return item.state.step === 'transcribing' ? 0.5 + share / 2 : share / 2;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

const endingOf = ({ type }: Blob) => (type.includes('mp4') ? 'm4a' : type.includes('ogg') ? 'ogg' : 'webm');
