import type { components } from '@steno/sdk';
import { formatDuration, formatNumber } from '../../lib/format.ts';
import { languageName } from '../../lib/languages.ts';
import { transcriptStrings as texts } from '../../strings/transcript.ts';

type ListedTranscription = components['schemas']['ListedTranscription'];

/** "English · 1:05 · 142 words · transcribed in 3.2 s", as far as known. `brief` leaves out the last part, for lists. */
export function Facts({ record, brief = false }: { record: ListedTranscription; brief?: boolean }) {
  const { language, audio_duration_ms: length, processing_ms: took, word_count: count } = record;
  const facts = [
    language === null ? null : languageName(language),
    length === null ? null : formatDuration(length),
    texts.words(formatNumber(count)),
    took === null || brief ? null : texts.took(formatNumber(Math.round(took / 100) / 10)),
  ];
  return <span className="muted numbers">{facts.filter((fact) => fact !== null).join(' · ')}</span>;
}
