import { useRateLimit } from '../../api/rate-limit.ts';
import { formatDay, formatNumber } from '../../lib/format.ts';
import { type Usage, useUsage } from '../../resources/usage.ts';
import { strings } from '../../strings.ts';
import { Meter, Page, Section } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Month } from './month.tsx';
import styles from './usage.module.css';

const words = strings.usage;
const minuteMs = 60_000;

export function Screen() {
  const usage = useUsage();
  return (
    <Page title={words.title} lead={usage.data && words.lead(words.plans[usage.data.plan])}>
      <Section title={words.period}>
        {usage.isPending && <Skeleton lines={4} />}
        {usage.isError && <ErrorState error={usage.error} onRetry={usage.refetch} />}
        {usage.data && <Period usage={usage.data} />}
      </Section>
      <Month />
      <Requests />
    </Page>
  );
}

/** `-1` is no limit. */
const amount = (used: number, limit: number) =>
  limit === -1 ? words.unlimited(formatNumber(used)) : words.of(formatNumber(used), formatNumber(limit));

function Period({ usage }: { usage: Usage }) {
  const { audio_resets_at: resetsAt, current_period_end: endsAt } = usage;
  const minutes = Math.ceil(usage.audio_ms_used / minuteMs);
  const maxMinutes = usage.audio_ms_limit === -1 ? -1 : Math.floor(usage.audio_ms_limit / minuteMs);
  return (
    <div className={styles.meters}>
      <Meter
        label={usage.plan === 'free' ? words.wordsWeek : words.wordsMonth}
        value={usage.words_used}
        limit={usage.limit}
        text={amount(usage.words_used, usage.limit)}
      />
      <Meter
        label={words.minutes}
        value={usage.audio_ms_used}
        limit={usage.audio_ms_limit}
        text={amount(minutes, maxMinutes)}
      />
      <p className="muted">
        {words.resets(formatDay(resetsAt))}
        {endsAt && endsAt !== resetsAt && ` ${words.periodEnds(formatDay(endsAt))}`}
      </p>
    </div>
  );
}

/** Every answer of the server tells these numbers, so they are as fresh as the last click. */
function Requests() {
  const rate = useRateLimit();
  if (!rate) return null;
  const { perMinute, leftThisMinute, perDay, leftToday } = rate;
  const used = perMinute - leftThisMinute;
  return (
    <Section title={words.requests}>
      <div className={styles.meters}>
        <Meter label={words.perMinute} value={used} limit={perMinute} text={amount(used, perMinute)} />
        {perDay !== undefined && leftToday !== undefined && (
          <Meter
            label={words.perDay}
            value={perDay - leftToday}
            limit={perDay}
            text={amount(perDay - leftToday, perDay)}
          />
        )}
        <p className="muted">{words.requestsNote}</p>
      </div>
    </Section>
  );
}
