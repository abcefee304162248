import { formatNumber } from '../../lib/format.ts';
import { accountStrings } from '../../strings/account.ts';

const texts = accountStrings.data;

interface Imported {
  notes: number;
  folders: number;
  known: number;
  without_audio: number;
  not_transcribed: number;
  left_out: readonly string[];
}

/** What an import did, and what of it is not as it was, in sentences. */
export function importedSentences(imported: Imported): string[] {
  const { notes, folders, known, without_audio, not_transcribed, left_out } = imported;
  const ifAny = (count: number, sentence: (count: string) => string) =>
    count > 0 ? [sentence(formatNumber(count))] : [];
  return [
    texts.counts(formatNumber(notes), formatNumber(folders)),
    ...ifAny(known, texts.known),
    ...ifAny(without_audio, texts.withoutAudio),
    ...ifAny(not_transcribed, texts.notTranscribed),
    ...ifAny(left_out.length, () => texts.leftOut),
  ];
}
