import { DownloadItems } from '../../features/transcript/download-items.tsx';
import { Facts } from '../../features/transcript/facts.tsx';
import { formatDateTime, formatShort } from '../../lib/format.ts';
import { Link, useLocation } from '../../lib/router.tsx';
import { downloadAs, type FileFormat, type ListedTranscription } from '../../resources/transcriptions.ts';
import { historyStrings as texts } from '../../strings/history.ts';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Badge } from '../../ui/page.tsx';
import { toastError } from '../../ui/toast.tsx';
import { useConfirm } from '../../ui/use-confirm.tsx';
import { transcriptionDeletion } from './deletions.ts';
import styles from './history.module.css';

export const download = ({ id, created_at }: ListedTranscription, format: FileFormat) =>
  void downloadAs(id, format, texts.fileName(created_at.slice(0, 10))).catch(toastError);

interface Props {
  item: ListedTranscription;
  /** Of the day group that begins with this row. */
  heading: string | undefined;
}

/** A transcription without a recording: there is only text. */
export function TextRow({ item, heading }: Props) {
  const [question, confirm] = useConfirm();
  const { search } = useLocation();
  return (
    <li>
      {heading && <h2 className={styles.day}>{heading}</h2>}
      <div className={styles.row}>
        <span className={styles.mark} data-state="text">
          <Icon name="note" />
        </span>
        <Link className={styles.link} to={`/history/${item.id}`} state={{ from: search }}>
          <span className={styles.excerpt} dir="auto">
            {item.text.trim().slice(0, 400) || texts.nothingSaid}
          </span>
          <span className={styles.facts}>
            <time className="muted" dateTime={item.created_at} title={formatDateTime(item.created_at)}>
              {formatShort(item.created_at)}
            </time>
            <Facts record={item} brief />
            <Badge>{texts.textOnly}</Badge>
            {item.note_id && <Badge tone="accent">{texts.asNote}</Badge>}
          </span>
        </Link>
        <Menu trigger={<IconButton icon="dots" label={texts.actions} />}>
          <DownloadItems isTimed={item.segments !== null} onChoose={(format) => download(item, format)} />
          <MenuLine />
          <MenuItem icon="trash" danger onSelect={() => confirm(transcriptionDeletion(item.id))}>
            {texts.delete}
          </MenuItem>
        </Menu>
      </div>
      {question}
    </li>
  );
}
