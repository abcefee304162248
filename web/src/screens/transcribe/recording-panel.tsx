import { useEffect, useRef } from 'react';
import { formatBytes, formatDuration } from '../../lib/format.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { discardRecording, type Recording, stopRecording } from './recorder.ts';
import styles from './transcribe.module.css';
import { useNow } from './use-now.ts';

const texts = strings.transcribe;

export function RecordingPanel({ recording }: { recording: Exclude<Recording, { step: 'off' }> }) {
  const now = useNow();
  if (recording.step === 'asking')
    return (
      <div className={styles.panel}>
        <p role="status">{texts.asking}</p>
      </div>
    );
  const elapsed = Math.max(0, now - recording.startedAt);
  return (
    <section className={styles.panel} aria-label={texts.recording}>
      <Level stream={recording.stream} />
      <p className={styles.dropTitle} role="status">
        {texts.recording}
      </p>
      <p className="numbers muted">
        {texts.recorded(
          formatDuration(elapsed),
          formatBytes(recording.bytes),
          formatBytes(recording.maxBytes),
        )}
      </p>
      <div className={styles.dropActions}>
        <Button look="primary" icon="stop" onClick={stopRecording}>
          {texts.stop}
        </Button>
        <Button look="quiet" onClick={discardRecording}>
          {texts.discard}
        </Button>
      </div>
    </section>
  );
}

/** Grows with the voice, to show that the right microphone is on. */
function Level({ stream }: { stream: MediaStream }) {
  const ref = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    analyser.fftSize = 512;
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    let frame = requestAnimationFrame(function draw() {
      analyser.getFloatTimeDomainData(samples);
      const loudest = samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
      ref.current?.style.setProperty('--level', Math.sqrt(loudest).toFixed(2));
      frame = requestAnimationFrame(draw);
    });
    return () => {
      cancelAnimationFrame(frame);
      context.close();
    };
  }, [stream]);
  return (
    <span ref={ref} className={styles.level}>
      <Icon name="mic" size={32} />
    </span>
  );
}
