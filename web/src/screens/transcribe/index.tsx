import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { saveFile } from '../../lib/save-file.ts';
import { type Me, useSession } from '../../resources/session.ts';
import type { Asked } from '../../resources/transcribe.ts';
import { useUsage } from '../../resources/usage.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { clearJob, type Job, record, sendFile, startJob, useJob } from './job.ts';
import { OptionsFields } from './options.tsx';
import { Picker } from './picker.tsx';
import { refusalOf, type Unsendable } from './problems.ts';
import { Progress } from './progress.tsx';
import { extensionOf, useRecording } from './recorder.ts';
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
  const { speech } = me;
  const job = useJob(me.user_id);
  const recording = useRecording();
  const refusal = refusalOf(speech, useUsage().data);
  const [asked, setAsked] = useState<Asked>({ language: '', prompt: '' });
  const [problem, setProblem] = useState<Unsendable>();

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
      ) : recording.step === 'off' ? (
        <div className={styles.start}>
          {(problem ?? refusal) && <Trouble error={problem ?? refusal} />}
          <Picker
            speech={speech}
            disabled={refusal !== undefined}
            onFile={(file) => {
              setProblem(undefined);
              sendFile(client, me, file, asked);
            }}
            onProblem={setProblem}
            onRecord={() => {
              setProblem(undefined);
              record(client, me, asked).catch(setProblem);
            }}
          />
          <OptionsFields asked={asked} languages={speech.languages} onChange={setAsked} />
        </div>
      ) : (
        <RecordingPanel recording={recording} />
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
