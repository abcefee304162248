import { useState } from 'react';
import { formatNumber } from '../../lib/format.ts';
import { useTranscriptionsSince } from '../../resources/transcriptions.ts';
import { usageStrings } from '../../strings/usage.ts';
import { Choice } from '../../ui/choice.tsx';
import { Section } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Chart, type Measure } from './chart.tsx';
import { countByDay, firstDay } from './days.ts';

const texts = usageStrings;
const choices: { value: Measure; label: string }[] = [
  { value: 'words', label: texts.chartWords },
  { value: 'minutes', label: texts.chartMinutes },
];

export function Month() {
  const [measure, setMeasure] = useState<Measure>('words');
  const recent = useTranscriptionsSince(firstDay());
  const days = recent.data && countByDay(recent.data.records);
  const isEmpty = days?.every((day) => day.words === 0 && day.minutes === 0);
  return (
    <Section
      title={texts.chart}
      actions={
        !isEmpty && <Choice label={texts.show} value={measure} options={choices} onChange={setMeasure} />
      }
    >
      {recent.isPending && <Skeleton lines={5} />}
      {recent.isError && <ErrorState error={recent.error} onRetry={recent.refetch} />}
      {days &&
        (isEmpty ? <p className="muted">{texts.chartEmpty}</p> : <Chart days={days} measure={measure} />)}
      {recent.data && !isEmpty && (
        <p className="muted">
          {texts.chartNote}
          {recent.data.capped && ` ${texts.chartCapped(formatNumber(recent.data.records.length))}`}
        </p>
      )}
    </Section>
  );
}
