import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDateTime } from '../../lib/format.ts';
import { saveFile } from '../../lib/save-file.ts';
import { useSession } from '../../resources/session.ts';
import type { Asked } from '../../resources/transcribe.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { clearJob, type Job, startJob, useJob } from './job.ts';
import { OptionsFields } from './options.tsx';
import { Picker } from './picker.tsx';
import type { Unsendable } from './problems.ts';
import { Progress } from './progress.tsx';
import { extensionOf, useRecorder } from './recorder.ts';
import { RecordingPanel } from './recording-panel.tsx';
import { Result } from './result.tsx';
import styles from './transcribe.module.css';
import { Trouble } from './trouble.tsx';

const words = strings.transcribe;

export function Screen() {
  const client = useQueryClient();
  const userId = useSession().data?.user_id;
  const job = useJob(userId);
  const [asked, setAsked] = useState<Asked>({ language: '', prompt: '' });
  const [problem, setProblem] = useState<Unsendable>();

  function send(file: Blob, name: string) {
    if (userId === undefined) return;
    setProblem(undefined);
    startJob(client, { userId, file, name, asked });
  }
  const recorder = useRecorder(({ file, full }) => {
    if (full) toast({ title: words.recordingStopped });
    send(file, words.recordingName(formatDateTime(new Date().toISOString())));
  }, setProblem);

  const isOver = job?.state.step === 'done' || job?.state.step === 'failed';
  return (
    <Page
      title={words.title}
      lead={job ? undefined : words.lead}
      actions={
        isOver && (
          <Button icon="plus" onClick={clearJob}>
            {words.another}
          </Button>
        )
      }
    >
      {job ? (
        <JobView job={job} onAgain={() => startJob(client, job)} />
      ) : recorder.recording.step === 'off' ? (
        <div className={styles.start}>
          {problem && <Trouble error={problem} />}
          <Picker
            onFile={(file) => send(file, file.name)}
            onProblem={setProblem}
            onRecord={() => {
              setProblem(undefined);
              recorder.start();
            }}
          />
          <OptionsFields asked={asked} onChange={setAsked} />
        </div>
      ) : (
        <RecordingPanel recording={recorder.recording} onStop={recorder.stop} onDiscard={recorder.discard} />
      )}
    </Page>
  );
}

function JobView({ job, onAgain }: { job: Job; onAgain(): void }) {
  const { state } = job;
  switch (state.step) {
    case 'sending':
    case 'working':
      return <Progress name={job.name} state={state} onCancel={clearJob} />;
    case 'done':
      return <Result id={state.result.id} audio={job.file} name={job.name} />;
    case 'failed':
      return (
        <Trouble error={state.error} onAgain={onAgain}>
          {isRecording(job) && (
            <Button
              icon="download"
              onClick={() => saveFile(`recording.${extensionOf(job.file.type)}`, job.file)}
            >
              {words.keepRecording}
            </Button>
          )}
        </Trouble>
      );
  }
}

/** A file is still on the person's disk; what was spoken is nowhere else. */
const isRecording = ({ file }: Job) => !(file instanceof File);
