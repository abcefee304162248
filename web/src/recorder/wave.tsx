import { useEffect, useRef } from 'react';
import { microphoneInUse } from './record.ts';
import styles from './recorder.module.css';

const barWidth = 3;
const gap = 2;
const barMs = 70;

/** The level of the last seconds, which shows that the right microphone is on. */
export function Wave({ isPaused }: { isPaused: boolean }) {
  const ref = useRef<HTMLCanvasElement>(null);
  const shown = useRef<number[]>([]);
  useEffect(() => {
    const canvas = ref.current;
    const context = canvas?.getContext('2d');
    if (!canvas || !context) return;
    const scale = window.devicePixelRatio;
    canvas.width = canvas.clientWidth * scale;
    canvas.height = canvas.clientHeight * scale;
    const step = (barWidth + gap) * scale;
    const count = Math.floor(canvas.width / step);
    const levels = [...new Array<number>(count).fill(0), ...shown.current].slice(-count);
    shown.current = levels;
    const draw = () => {
      context.clearRect(0, 0, canvas.width, canvas.height);
      context.fillStyle = getComputedStyle(canvas).color;
      for (const [at, level] of levels.entries()) {
        const height = Math.max(barWidth * scale, level * canvas.height);
        context.beginPath();
        context.roundRect(at * step, (canvas.height - height) / 2, barWidth * scale, height, 2 * scale);
        context.fill();
      }
    };
    draw();
    if (isPaused) return;
    const timer = setInterval(() => {
      levels.shift();
      levels.push(microphoneInUse()?.level() ?? 0);
      draw();
    }, barMs);
    return () => clearInterval(timer);
  }, [isPaused]);
  return <canvas ref={ref} className={styles.wave} data-paused={isPaused || undefined} />;
}
