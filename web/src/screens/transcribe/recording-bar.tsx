import { Link, useLocation } from 'react-router';
import { formatDuration } from '../../lib/format.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { stopRecording, useRecording } from './recorder.ts';
import { useNow } from './use-now.ts';

const texts = strings.transcribe;

/** Shows on every other screen that a recording runs. */
export function RecordingBar() {
  const recording = useRecording();
  const elsewhere = !useLocation().pathname.startsWith('/transcribe');
  const now = useNow();
  if (recording.step !== 'recording' || !elsewhere) return null;
  return (
    <section className="recording-bar" aria-label={texts.recording}>
      <Icon name="mic" />
      <Link to="/transcribe">{texts.recording}</Link>
      <span className="numbers">{formatDuration(Math.max(0, now - recording.startedAt))}</span>
      <Button icon="stop" onClick={stopRecording}>
        {texts.stop}
      </Button>
    </section>
  );
}
