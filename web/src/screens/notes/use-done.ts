import { useMemo } from 'react';
import { useNoteRecordings } from '../../resources/note-recording.ts';

/** The recordings of the note that have their words. */
export function useDone(noteId: string) {
  const { data } = useNoteRecordings(noteId);
  return useMemo(() => (data ?? []).filter(({ state }) => state === 'done'), [data]);
}
