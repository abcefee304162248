import { useEffect, useRef } from 'react';
import { formatBytes, formatDuration } from '../../lib/format.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { Recording } from './recorder.ts';
import styles from './transcribe.module.css';
import { useNow } from './use-now.ts';

const words = strings.transcribe;

interface Props {
  recording: Exclude<Recording, { step: 'off' }>;
  onStop(): void;
  onDiscard(): void;
}

export function RecordingPanel({ recording, onStop, onDiscard }: Props) {
  const now = useNow();
  if (recording.step === 'asking')
    return (
      <div className={styles.panel}>
        <p role="status">{words.asking}</p>
      </div>
    );
  const elapsed = Math.max(0, now - recording.startedAt);
  return (
    <section className={styles.panel} aria-label={words.recording}>
      <Level stream={recording.stream} />
      <p className={styles.dropTitle} role="status">
        {words.recording}
      </p>
      <p className="numbers muted">{words.recorded(formatDuration(elapsed), formatBytes(recording.bytes))}</p>
      <div className={styles.dropActions}>
        <Button look="primary" icon="stop" onClick={onStop}>
          {words.stop}
        </Button>
        <Button look="quiet" onClick={onDiscard}>
          {words.discard}
        </Button>
      </div>
    </section>
  );
}

/** Grows with the voice, so that one sees that the right microphone listens. */
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
