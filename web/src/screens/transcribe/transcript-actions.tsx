import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { toastError } from '../../ui/toast.tsx';
import { downloadAs, type Format, type ListedTranscription, type Transcription } from './queries.ts';
import styles from './transcribe.module.css';

const words = strings.transcribe;
const formats: readonly Format[] = ['text', 'srt', 'vtt', 'json'];

interface Props {
  record: Transcription;
  /** Of the files, without extension. */
  baseName: string;
  children?: ReactNode;
}

/** Copy and download, and before them what the screen adds. */
export function TranscriptActions({ record, baseName, children }: Props) {
  const download = useMutation({
    mutationFn: (format: Format) => downloadAs(record.id, format, baseName),
    onError: toastError,
  });
  return (
    <div className={styles.actions}>
      {children}
      <CopyButton text={record.text} label={words.copyText} />
      <Menu
        trigger={
          <Button icon="download" busy={download.isPending}>
            {words.download}
          </Button>
        }
      >
        <DownloadItems record={record} onChoose={download.mutate} />
      </Menu>
    </div>
  );
}

/** One entry for each format; subtitles only where there is something to time. */
export function DownloadItems({
  record,
  onChoose,
}: {
  record: ListedTranscription;
  onChoose(format: Format): void;
}) {
  const untimed = record.segments === null;
  return formats.map((format) => (
    <MenuItem
      key={format}
      icon="download"
      disabled={untimed && (format === 'srt' || format === 'vtt')}
      onSelect={() => onChoose(format)}
    >
      {words.downloadAs[format]}
    </MenuItem>
  ));
}
