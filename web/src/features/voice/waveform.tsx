import { useEffect, useRef, useState } from 'react';
import type { Playback } from '../../lib/playback.ts';
import styles from './player.module.css';

const pixelsPerBar = 4;

/** The waveform, filled up to the current position. Without peaks it is a plain line. */
export function Waveform({ peaks, playback }: { peaks: readonly number[] | undefined; playback: Playback }) {
  const ref = useRef<HTMLDivElement>(null);
  const [bars, setBars] = useState(0);
  useEffect(() => {
    if (!ref.current) return;
    const observer = new ResizeObserver(([entry]) =>
      setBars(Math.floor((entry?.contentRect.width ?? 0) / pixelsPerBar)),
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  useEffect(
    () =>
      playback.onTick((seconds) => {
        const share = playback.length > 0 ? Math.min(1, seconds / playback.length) : 0;
        ref.current?.style.setProperty('--rest', `${(1 - share) * 100}%`);
      }),
    [playback],
  );
  const path = peaks?.length && bars > 0 ? drawn(peaks, bars) : undefined;
  return (
    <div ref={ref} className={styles.wave} aria-hidden="true">
      {path === undefined
        ? ['rest', 'played'].map((part) => <span key={part} className={styles.line} data-part={part} />)
        : ['rest', 'played'].map((part) => (
            <svg
              key={part}
              aria-hidden="true"
              data-part={part}
              viewBox={`0 0 ${bars * pixelsPerBar} 100`}
              preserveAspectRatio="none"
            >
              <path d={path} />
            </svg>
          ))}
    </div>
  );
}

/** One vertical line per bar, centred. */
function drawn(peaks: readonly number[], bars: number): string {
  const each = peaks.length / bars;
  return Array.from({ length: bars }, (_, bar) => {
    const from = Math.floor(bar * each);
    const level = peaks.slice(from, Math.max(from + 1, Math.floor((bar + 1) * each)));
    const half = Math.max(2, (Math.max(...level) / 255) * 46);
    return `M${bar * pixelsPerBar + pixelsPerBar / 2} ${(50 - half).toFixed(1)}v${(half * 2).toFixed(1)}`;
  }).join('');
}
