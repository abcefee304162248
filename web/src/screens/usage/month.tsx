import { useState } from 'react';
import { formatNumber } from '../../lib/format.ts';
import { useTranscriptionsSince } from '../../resources/transcriptions.ts';
import { strings } from '../../strings.ts';
import { Choice } from '../../ui/choice.tsx';
import { Section } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Chart, type Measure } from './chart.tsx';
import { countByDay, firstDay } from './days.ts';

const words = strings.usage;
const choices: { value: Measure; label: string }[] = [
  { value: 'words', label: words.chartWords },
  { value: 'minutes', label: words.chartMinutes },
];

export function Month() {
  const [measure, setMeasure] = useState<Measure>('words');
  const recent = useTranscriptionsSince(firstDay());
  const days = recent.data && countByDay(recent.data.records);
  const isEmpty = days?.every((day) => day.words === 0 && day.minutes === 0);
  return (
    <Section
      title={words.chart}
      actions={
        !isEmpty && <Choice label={words.show} value={measure} options={choices} onChange={setMeasure} />
      }
    >
      {recent.isPending && <Skeleton lines={5} />}
      {recent.isError && <ErrorState error={recent.error} onRetry={recent.refetch} />}
      {days &&
        (isEmpty ? <p className="muted">{words.chartEmpty}</p> : <Chart days={days} measure={measure} />)}
      {recent.data && !isEmpty && (
        <p className="muted">
          {words.chartNote}
          {recent.data.capped && ` ${words.chartCapped(formatNumber(recent.data.records.length))}`}
        </p>
      )}
    </Section>
  );
}
