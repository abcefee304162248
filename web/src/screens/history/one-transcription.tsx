import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Facts } from '../../features/transcript/facts.tsx';
import { SaveNote } from '../../features/transcript/save-note.tsx';
import { Transcript } from '../../features/transcript/transcript.tsx';
import { TranscriptActions } from '../../features/transcript/transcript-actions.tsx';
import { useCommands } from '../../lib/commands.ts';
import { formatDateTime } from '../../lib/format.ts';
import { useLocation, useNavigate } from '../../lib/router.tsx';
import { useFolders } from '../../resources/folders.ts';
import { downloadAs, saveAsNote, useTranscription } from '../../resources/transcriptions.ts';
import { historyStrings } from '../../strings/history.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { DeleteTranscription } from './delete-transcription.tsx';
import styles from './history.module.css';
import { fileNameOf } from './text-row.tsx';

const texts = historyStrings;

export function OneTranscription({ id }: { id: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const { data: record, isPending, error, refetch } = useTranscription(id);
  const folders = useFolders().data ?? [];
  // Back to the list with the filters it had.
  const list = `/history${useLocation().state?.from ?? ''}`;
  const leave = () => navigate(list);
  useCommands([{ id: 'leave', run: leave }]);
  const title = record ? texts.of(formatDateTime(record.created_at)) : texts.title;

  return (
    <>
      <Page title={title} back={{ to: list, label: texts.back }}>
        {isPending && <Skeleton lines={8} />}
        {error && <ErrorState error={error} onRetry={refetch} />}
        {record && (
          <div className={styles.body}>
            <Facts record={record} />
            <TranscriptActions
              record={record}
              onDownload={(format) => downloadAs(id, format, fileNameOf(record))}
            >
              <SaveNote
                record={record}
                suggestedTitle={title}
                folders={folders}
                onSave={(draft) => saveAsNote(client, record, draft)}
              />
            </TranscriptActions>
            <Transcript record={record} />
            <div>
              <Button look="danger" icon="trash" onClick={() => setAsking(true)}>
                {texts.delete}
              </Button>
            </div>
          </div>
        )}
      </Page>
      <DeleteTranscription id={id} open={asking} onClose={() => setAsking(false)} onDeleted={leave} />
    </>
  );
}
