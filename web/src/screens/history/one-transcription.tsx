import { Facts } from '../../features/transcript/facts.tsx';
import { SaveNote } from '../../features/transcript/save-note.tsx';
import { toSpoken } from '../../features/transcript/spoken.ts';
import { Transcript } from '../../features/transcript/transcript.tsx';
import { TranscriptMenus } from '../../features/transcript/transcript-menus.tsx';
import { toMarkdown } from '../../features/transcript/written-out.ts';
import { useCommands } from '../../lib/commands.ts';
import { formatDateTime } from '../../lib/format.ts';
import { navigate, useLocation } from '../../lib/router.tsx';
import { useFolders } from '../../resources/folders.ts';
import { saveAsNote, useTranscription } from '../../resources/transcriptions.ts';
import { historyStrings as texts } from '../../strings/history.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { useConfirm } from '../../ui/use-confirm.tsx';
import { transcriptionDeletion } from './deletions.ts';
import styles from './history.module.css';
import { download } from './text-row.tsx';

export function OneTranscription({ id }: { id: string }) {
  const [question, confirm] = useConfirm();
  const found = useTranscription(id);
  const folders = useFolders().data ?? [];
  // Back to the list with the filters it had.
  const list = `/history${useLocation().state?.from ?? ''}`;
  const leave = () => navigate(list);
  useCommands([{ id: 'leave', run: leave }]);
  const title = found.data ? texts.of(formatDateTime(found.data.created_at)) : texts.title;
  function askToDelete() {
    const deletion = transcriptionDeletion(id);
    confirm({ ...deletion, run: () => deletion.run().then(leave) });
  }
  return (
    <Page title={title} back={{ to: list, label: texts.back }}>
      <Loaded from={found} lines={8}>
        {(record) => (
          <div className={styles.body}>
            <Facts record={record} />
            <div className={styles.actions}>
              <SaveNote
                record={record}
                suggestedTitle={title}
                folders={folders}
                onSave={(draft) => saveAsNote(record, draft)}
              />
              <TranscriptMenus
                text={() => record.text}
                markdown={record.segments && (() => toMarkdown(title, toSpoken(record.segments ?? [])))}
                downloads={[
                  { isTimed: record.segments !== null, words: (format) => download(record, format) },
                ]}
              />
            </div>
            <Transcript segments={record.segments} text={record.text} />
            <div>
              <Button look="danger" icon="trash" onClick={askToDelete}>
                {texts.delete}
              </Button>
            </div>
          </div>
        )}
      </Loaded>
      {question}
    </Page>
  );
}
