import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDateTime } from '../../lib/format.ts';
import { saveFile } from '../../lib/save-file.ts';
import { type Me, useSession } from '../../resources/session.ts';
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

const texts = strings.transcribe;

export function Screen() {
  const me = useSession().data;
  return me && <Transcriber me={me} />;
}

function Transcriber({ me }: { me: Me }) {
  const client = useQueryClient();
  const { user_id: userId, speech } = me;
  const maxBytes = speech.max_upload_bytes;
  const job = useJob(userId);
  const [asked, setAsked] = useState<Asked>({ language: '', prompt: '' });
  const [problem, setProblem] = useState<Unsendable>();

  function send(file: Blob, name: string) {
    setProblem(undefined);
    startJob(client, { userId, file, name, asked, maxBytes });
  }
  const recorder = useRecorder({
    maxBytes,
    onFinished({ file, full }) {
      if (full) toast({ title: texts.recordingStopped });
      send(file, texts.recordingName(formatDateTime(new Date().toISOString())));
    },
    onProblem: setProblem,
  });

  const isOver = job?.state.step === 'done' || job?.state.step === 'failed';
  return (
    <Page
      title={texts.title}
      lead={job ? undefined : texts.lead}
      actions={
        isOver && (
          <Button icon="plus" onClick={clearJob}>
            {texts.another}
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
            speech={speech}
            onFile={(file) => send(file, file.name)}
            onProblem={setProblem}
            onRecord={() => {
              setProblem(undefined);
              recorder.start();
            }}
          />
          <OptionsFields asked={asked} languages={speech.languages} onChange={setAsked} />
        </div>
      ) : (
        <RecordingPanel
          recording={recorder.recording}
          maxBytes={maxBytes}
          onStop={recorder.stop}
          onDiscard={recorder.discard}
        />
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
              {texts.keepRecording}
            </Button>
          )}
        </Trouble>
      );
  }
}

/** A chosen file is still on disk. A recording exists only here, so offer to download it. */
const isRecording = ({ file }: Job) => !(file instanceof File);
