import { navigate } from '../../lib/router.tsx';
import { createStore, useStore } from '../../lib/store.ts';
import { cancelJob, isUnderWay, type LanguageJob, useFollowedJobs } from '../../resources/language-jobs.ts';
import { refreshNoteLists } from '../../resources/note-list.ts';
import { commonStrings } from '../../strings/common.ts';
import { languageStrings as texts } from '../../strings/language.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useNotesPlace } from './place.ts';
import { wantedAction } from './wanted-action.ts';
import styles from './writing.module.css';

/** What went wrong longer ago is of no use. */
const toldForMs = 24 * 3_600_000;
const dismissed = createStore<ReadonlySet<string>>(new Set());

/** Texts about the note that are being written, or that could not be written. */
export function WritingStatus({ noteId }: { noteId: string }) {
  const { hrefOf } = useNotesPlace();
  const hidden = useStore(dismissed);
  const jobs = useFollowedJobs(noteId, ({ action_name, result_note_id: made }) => {
    if (made === null) return;
    void refreshNoteLists();
    toast({
      title: texts.newNote(action_name),
      action: { label: texts.open, run: () => navigate(hrefOf(made)) },
    });
  });
  const oldest = new Date(Date.now() - toldForMs).toISOString();
  // A text that was written since makes an earlier failure of the same action old news.
  const last = jobs.filter(
    (job, at) => jobs.findIndex(({ action_id }) => action_id === job.action_id) === at,
  );
  const shown = last.filter(
    (job) => isUnderWay(job) || (job.state === 'failed' && job.updated_at > oldest && !hidden.has(job.id)),
  );
  return (
    <div role="status">
      {shown
        .toReversed()
        .map((job) =>
          isUnderWay(job) ? <UnderWay key={job.id} job={job} /> : <Failed key={job.id} job={job} />,
        )}
    </div>
  );
}

function UnderWay({ job }: { job: LanguageJob }) {
  const { action_name: name, error, state } = job;
  const cancel = useAction(() => cancelJob(job));
  return (
    <div className={styles.job}>
      <Spinner size={16} />
      <p>
        {error ? texts.waits(name) : state === 'writing' ? texts.writing(name) : texts.queued(name)}
        {error && ` ${error}`}
      </p>
      <Button
        look="quiet"
        aria-label={texts.cancel(name)}
        busy={cancel.isPending}
        onClick={() => cancel.mutate()}
      >
        {commonStrings.cancel}
      </Button>
    </div>
  );
}

function Failed({
  job: { id, note_id: noteId, action_id: actionId, action_name: name, error },
}: {
  job: LanguageJob;
}) {
  const dismiss = () => dismissed.set(new Set(dismissed.get()).add(id));
  return (
    <div className={styles.job} data-failed>
      <Icon name="alert" />
      <p>
        {texts.failed(name)} {error}
      </p>
      <Button look="quiet" onClick={() => wantedAction.set({ noteId, actionId })}>
        {commonStrings.retry}
      </Button>
      <IconButton icon="close" label={texts.dismiss(name)} onClick={dismiss} />
    </div>
  );
}
