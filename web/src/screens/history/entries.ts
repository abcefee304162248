import type { ListedRecording } from '../../resources/recordings.ts';
import type { ListedTranscription } from '../../resources/transcriptions.ts';

/** One line of the history: a recording, or a text that was made without one. */
export type Entry =
  | { kind: 'recording'; id: string; at: string; recording: ListedRecording }
  | { kind: 'text'; id: string; at: string; transcription: ListedTranscription };

interface Loaded<Item> {
  items: readonly Item[];
  hasMore: boolean;
}

/**
 * Both lists in one, newest first. It ends where either of them has more to load, because later pages could still add lines
 * in between.
 */
export function merge(
  recordings: Loaded<ListedRecording>,
  transcriptions: Loaded<ListedTranscription>,
): Entry[] {
  const entries: Entry[] = [
    ...recordings.items.map((recording) => ({
      kind: 'recording' as const,
      recording,
      ...placeOf(recording),
    })),
    ...transcriptions.items.map((transcription) => ({
      kind: 'text' as const,
      transcription,
      ...placeOf(transcription),
    })),
  ];
  const horizon = [horizonOf(recordings), horizonOf(transcriptions)].sort().at(-1) ?? '';
  return entries.filter(({ at }) => at >= horizon).sort((one, other) => (one.at < other.at ? 1 : -1));
}

const placeOf = ({ id, created_at: at }: { id: string; created_at: string }) => ({ id, at });

/** How far back a list is loaded; '' means to its end. A page of a search may be empty, and the next one not. */
export const horizonOf = ({ items, hasMore }: Loaded<{ created_at: string }>) =>
  hasMore ? (items.at(-1)?.created_at ?? now) : '';
/** Later than all. */
const now = '9';
