import { useRateLimit } from '../../api/rate-limit.ts';
import { formatComingDay, formatDay, formatNumber } from '../../lib/format.ts';
import { useHasModel } from '../../resources/session.ts';
import { type Usage, useUsage } from '../../resources/usage.ts';
import { commonStrings } from '../../strings/common.ts';
import { usageStrings as texts } from '../../strings/usage.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Meter, Page, Section } from '../../ui/page.tsx';
import { Month } from './month.tsx';
import styles from './usage.module.css';

const minuteMs = 60_000;

export function Screen() {
  const usage = useUsage();
  return (
    <Page title={texts.title} lead={usage.data && texts.lead(commonStrings.plans[usage.data.plan])}>
      <Section title={texts.period}>
        <Loaded from={usage} lines={4}>
          {(known) => <Period usage={known} />}
        </Loaded>
      </Section>
      <Month />
      <Requests />
    </Page>
  );
}

/** A limit of -1 means no limit. */
const amount = (used: number, limit: number) =>
  limit === -1 ? texts.unlimited(formatNumber(used)) : texts.of(formatNumber(used), formatNumber(limit));

const megabytes = (bytes: number) => (bytes === -1 ? -1 : Math.ceil(bytes / 1_000_000));

function Period({ usage }: { usage: Usage }) {
  const hasModel = useHasModel();
  const { audio_resets_at: resetsAt, current_period_end: endsAt } = usage;
  const minutes = Math.ceil(usage.audio_ms_used / minuteMs);
  const maxMinutes = usage.audio_ms_limit === -1 ? -1 : Math.floor(usage.audio_ms_limit / minuteMs);
  const recorded = Math.ceil(usage.recording_ms_used / minuteMs);
  const maxRecorded = usage.recording_ms_limit === -1 ? -1 : Math.floor(usage.recording_ms_limit / minuteMs);
  return (
    <div className={styles.meters}>
      <Meter
        label={usage.plan === 'free' ? texts.wordsWeek : texts.wordsMonth}
        value={usage.words_used}
        limit={usage.limit}
        text={amount(usage.words_used, usage.limit)}
      />
      <Meter
        label={texts.recordingMinutes}
        value={usage.recording_ms_used}
        limit={usage.recording_ms_limit}
        text={amount(recorded, maxRecorded)}
      />
      <Meter
        label={texts.minutes}
        value={usage.audio_ms_used}
        limit={usage.audio_ms_limit}
        text={amount(minutes, maxMinutes)}
      />
      <Meter
        label={texts.storage}
        value={usage.storage_bytes_used}
        limit={usage.storage_bytes_limit}
        text={amount(megabytes(usage.storage_bytes_used), megabytes(usage.storage_bytes_limit))}
      />
      {hasModel && (
        <Meter
          label={texts.tokens}
          value={usage.llm_tokens_used}
          limit={usage.llm_tokens_limit}
          text={amount(usage.llm_tokens_used, usage.llm_tokens_limit)}
        />
      )}
      <p className="muted">
        {texts.resets(formatComingDay(resetsAt))}
        {endsAt && endsAt !== resetsAt && ` ${texts.periodEnds(formatDay(endsAt))}`}
      </p>
    </div>
  );
}

/** Every answer of the server carries these numbers, so they are as fresh as the last request. */
function Requests() {
  const rate = useRateLimit();
  if (!rate) return null;
  const { perMinute, leftThisMinute, perDay, leftToday } = rate;
  const used = perMinute - leftThisMinute;
  return (
    <Section title={texts.requests}>
      <div className={styles.meters}>
        <Meter label={texts.perMinute} value={used} limit={perMinute} text={amount(used, perMinute)} />
        {perDay !== undefined && leftToday !== undefined && (
          <Meter
            label={texts.perDay}
            value={perDay - leftToday}
            limit={perDay}
            text={amount(perDay - leftToday, perDay)}
          />
        )}
        <p className="muted">{texts.requestsNote}</p>
      </div>
    </Section>
  );
}
