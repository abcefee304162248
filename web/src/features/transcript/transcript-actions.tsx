import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { transcriptStrings } from '../../strings/transcript.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { toastError } from '../../ui/toast.tsx';
import styles from './transcript.module.css';

const texts = transcriptStrings;
const formats = ['text', 'srt', 'vtt', 'json'] as const;
type FileFormat = (typeof formats)[number];

interface Props {
  record: { text: string; segments: unknown[] | null };
  onDownload(format: FileFormat): Promise<void>;
  children?: ReactNode;
}

/** Copy and download. `children` come before them. */
export function TranscriptActions({ record, onDownload, children }: Props) {
  const download = useMutation({ mutationFn: onDownload, onError: toastError });
  return (
    <div className={styles.actions}>
      {children}
      <CopyButton text={record.text} label={texts.copyText} />
      <Menu
        trigger={
          <Button icon="download" busy={download.isPending}>
            {texts.download}
          </Button>
        }
      >
        <DownloadItems record={record} onChoose={download.mutate} />
      </Menu>
    </div>
  );
}

/** One menu item per format. Subtitles need segments with times. */
export function DownloadItems({
  record,
  onChoose,
}: {
  record: { segments?: unknown[] | null };
  onChoose(format: FileFormat): void;
}) {
  const untimed = record.segments === null;
  return formats.map((format) => (
    <MenuItem
      key={format}
      icon="download"
      disabled={untimed && (format === 'srt' || format === 'vtt')}
      onSelect={() => onChoose(format)}
    >
      {texts.downloadAs[format]}
    </MenuItem>
  ));
}
