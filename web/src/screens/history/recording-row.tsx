import { useState } from 'react';
import { maxRecordingNameLength } from '../../api/limits.ts';
import { DownloadItems } from '../../features/transcript/download-items.tsx';
import { formatDateTime, formatDuration, formatNumber, formatShort } from '../../lib/format.ts';
import { Link, useLocation } from '../../lib/router.tsx';
import {
  isInWork,
  type ListedRecording,
  mayTryAgain,
  type Recording,
  refreshRecordings,
  renameRecording,
  retryRecording,
} from '../../resources/recordings.ts';
import { downloadAs } from '../../resources/transcriptions.ts';
import { historyStrings as texts } from '../../strings/history.ts';
import { transcriptStrings } from '../../strings/transcript.ts';
import { IconButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Badge } from '../../ui/page.tsx';
import { toastError } from '../../ui/toast.tsx';
import { useConfirm } from '../../ui/use-confirm.tsx';
import { recordingDeletion } from './deletions.ts';
import styles from './history.module.css';

interface Props {
  recording: ListedRecording;
  /** Of the day group that begins with this row. */
  heading: string | undefined;
}

export function RecordingRow({ recording, heading }: Props) {
  const [isRenaming, setRenaming] = useState(false);
  const [question, confirm] = useConfirm();
  const { id, name, state, transcription_id } = recording;
  const retry = () => retryRecording(id).then(refreshRecordings, toastError);
  return (
    <li>
      {heading && <h2 className={styles.day}>{heading}</h2>}
      <div className={styles.row}>
        <span className={styles.mark} data-state={state}>
          <Icon name={state === 'failed' ? 'alert' : 'wave'} />
        </span>
        <Target recording={recording} />
        <Menu trigger={<IconButton icon="dots" label={texts.actionsFor(name)} />}>
          {state === 'failed' && mayTryAgain(recording) && (
            <MenuItem icon="history" onSelect={retry}>
              {texts.retry}
            </MenuItem>
          )}
          <MenuItem icon="edit" onSelect={() => setRenaming(true)}>
            {texts.rename}
          </MenuItem>
          {transcription_id && (
            <DownloadItems
              onChoose={(format) => void downloadAs(transcription_id, format, name).catch(toastError)}
            />
          )}
          <MenuLine />
          <MenuItem icon="trash" danger onSelect={() => confirm(recordingDeletion(recording))}>
            {texts.delete}
          </MenuItem>
        </Menu>
      </div>
      {isRenaming && <RenameRecording recording={recording} onClose={() => setRenaming(false)} />}
      {question}
    </li>
  );
}

/** Links to the note, or to the words if there is none, or to the page that shows its progress. */
function Target({ recording }: { recording: ListedRecording }) {
  const { search } = useLocation();
  const { id, note_id, transcription_id } = recording;
  const to = transcription_id && !note_id ? `/history/${transcription_id}` : `/notes/${note_id ?? id}`;
  return (
    <Link className={styles.link} to={to} state={{ from: search }}>
      <Content recording={recording} />
    </Link>
  );
}

function Content({ recording }: { recording: ListedRecording }) {
  const { name, state, error, created_at, duration_ms, word_count, beginning, progress } = recording;
  const facts = [
    duration_ms === null ? null : formatDuration(duration_ms),
    word_count == null ? null : transcriptStrings.words(formatNumber(word_count)),
    state === 'done' && !recording.has_audio ? texts.noAudio : null,
  ];
  return (
    <>
      <span className={styles.name} dir="auto">
        {name}
      </span>
      {state === 'done' && (
        <span className={styles.excerpt} dir="auto">
          {beginning?.trim() || texts.nothingSaid}
        </span>
      )}
      {state === 'failed' && <span className={styles.trouble}>{error}</span>}
      <span className={styles.facts}>
        <time className="muted" dateTime={created_at} title={formatDateTime(created_at)}>
          {formatShort(created_at)}
        </time>
        <span className="muted numbers">{facts.filter((fact) => fact !== null).join(' · ')}</span>
        {isInWork(recording) && (
          <Badge tone="accent">
            {state === 'transcribing' ? texts.transcribing(Math.round(progress * 100)) : texts.states[state]}
          </Badge>
        )}
        {state === 'failed' && <Badge tone="warning">{texts.states.failed}</Badge>}
      </span>
    </>
  );
}

function RenameRecording({ recording, onClose }: { recording: Recording; onClose(): void }) {
  return (
    <FormDialog
      title={texts.rename}
      save={(typed) => renameRecording(recording, typed('name'))}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={texts.name}
        maxLength={maxRecordingNameLength}
        required
        defaultValue={recording.name}
      />
    </FormDialog>
  );
}
