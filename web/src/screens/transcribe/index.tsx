import { useStore } from '../../lib/store.ts';
import { refusalOf } from '../../recorder/problems.ts';
import { asked, askToRecord, offerFiles, useRecorder } from '../../recorder/state.ts';
import { type Me, useSession } from '../../resources/session.ts';
import { useUsage } from '../../resources/usage.ts';
import { transcribeStrings as texts } from '../../strings/transcribe.ts';
import { Page } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';
import { OptionsFields } from './options.tsx';
import { Picker } from './picker.tsx';
import styles from './transcribe.module.css';

export function Screen() {
  const me = useSession().data;
  return me && <Transcriber me={me} />;
}

function Transcriber({ me }: { me: Me }) {
  const { speech } = me;
  const refusal = refusalOf(speech, useUsage().data);
  const isBusy = ['asking', 'recording'].includes(useRecorder().step);
  return (
    <Page title={texts.title} lead={texts.lead}>
      <div className={styles.start}>
        {refusal && (
          <Notice tone="danger" title={refusal.title}>
            <p>{refusal.detail}</p>
          </Notice>
        )}
        <Picker
          speech={speech}
          disabled={refusal !== undefined}
          isRecording={isBusy}
          onFiles={offerFiles}
          onRecord={askToRecord}
        />
        <OptionsFields asked={useStore(asked)} languages={speech.languages} onChange={asked.set} />
      </div>
    </Page>
  );
}
