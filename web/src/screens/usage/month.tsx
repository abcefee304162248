import { useState } from 'react';
import { useUsageDays } from '../../resources/usage.ts';
import { usageStrings as texts } from '../../strings/usage.ts';
import { Choice } from '../../ui/choice.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { Chart, type Measure } from './chart.tsx';

const choices: { value: Measure; label: string }[] = [
  { value: 'words', label: texts.chartWords },
  { value: 'minutes', label: texts.chartMinutes },
];

export function Month() {
  const [measure, setMeasure] = useState<Measure>('words');
  const recent = useUsageDays();
  const isEmpty = recent.data?.every((day) => day.words === 0 && day.audio_ms === 0);
  return (
    <Section
      title={texts.chart}
      actions={
        !isEmpty && <Choice label={texts.show} value={measure} options={choices} onChange={setMeasure} />
      }
    >
      <Loaded from={recent} lines={5}>
        {(days) =>
          isEmpty ? <p className="muted">{texts.chartEmpty}</p> : <Chart days={days} measure={measure} />
        }
      </Loaded>
    </Section>
  );
}
