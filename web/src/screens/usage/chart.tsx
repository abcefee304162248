import { formatNumber } from '../../lib/format.ts';
import { locale } from '../../lib/locale.ts';
import type { UsageDay } from '../../resources/usage.ts';
import { usageStrings as texts } from '../../strings/usage.ts';
import styles from './usage.module.css';

const dayName = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const nameOf = ({ date }: UsageDay) => dayName.format(new Date(date));

export type Measure = 'words' | 'minutes';
const amountOf = (day: UsageDay, measure: Measure) =>
  measure === 'words' ? day.words : day.audio_ms / 60_000;

const height = 160;
const barWidth = 14;
const gap = 6;

/** The next 1, 2 or 5 with zeros, so that the axis has round numbers. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((step) => value <= step * power) ?? 10) * power;
}

/** Thirty bars need no chart library. */
export function Chart({ days, measure }: { days: UsageDay[]; measure: Measure }) {
  const top = roundUp(Math.max(...days.map((day) => amountOf(day, measure)), 1));
  const width = days.length * (barWidth + gap) - gap;
  const total = days.reduce((sum, day) => sum + amountOf(day, measure), 0);
  const unit = texts.units[measure];
  const shown = (value: number) => formatNumber(Math.round(value * 10) / 10);
  return (
    <figure className={styles.chart}>
      <figcaption className="numbers">
        {texts.chartSummary(shown(total), unit, days[0] ? nameOf(days[0]) : '')}
      </figcaption>
      <div className={styles.scale} aria-hidden="true">
        {[top, top / 2, 0].map((value) => (
          <span key={value}>{shown(value)}</span>
        ))}
      </div>
      <svg
        className={styles.bars}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {[0, height / 2, height].map((y) => (
          <line key={y} className={styles.grid} x2={width} y1={y} y2={y} />
        ))}
        {days.map((day, at) => {
          const amount = amountOf(day, measure);
          const length = Math.max((amount / top) * height, amount > 0 ? 3 : 0);
          return (
            <g key={day.date}>
              <title>{texts.bar(nameOf(day), shown(amount), unit)}</title>
              <rect
                className={styles.reach}
                x={at * (barWidth + gap)}
                width={barWidth + gap}
                height={height}
              />
              <rect
                className={styles.bar}
                x={at * (barWidth + gap)}
                y={height - length}
                width={barWidth}
                height={length}
                rx={2}
              />
            </g>
          );
        })}
      </svg>
      <div className={styles.axis} aria-hidden="true">
        {[0, 7, 14, 21, days.length - 1].map((at) => {
          const day = days[at];
          return day && <span key={day.date}>{nameOf(day)}</span>;
        })}
      </div>
      <table className="visually-hidden">
        <caption>{texts.chart}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.day}</th>
            <th scope="col">{unit}</th>
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.date}>
              <th scope="row">{nameOf(day)}</th>
              <td>{shown(amountOf(day, measure))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
