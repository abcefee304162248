import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, read } from '../api/client.ts';
import type { components, operations } from '../api/schema.d.ts';
import { refreshNote } from './notes.ts';
import {
  fetchRecording,
  followRecording,
  type LiveTranscript,
  type Recording,
  retryRecording,
} from './recordings.ts';

type Listed = Pick<components['schemas']['ListedTranscription'], 'id' | 'user_id'>;
type Changes = operations['updateTranscription']['requestBody']['content']['application/json'];

const oneKey = (id: string) => ['recordings', 'one', id];

/** The address of the audio; the browser sends the session cookie. */
export const audioAddress = (id: string) => `/api/v1/recordings/${id}/audio`;

/** The recording of the note; null if there is none, or it was deleted. */
export const useNoteRecording = (noteId: string) =>
  useQuery({
    queryKey: ['recordings', 'of note', noteId],
    queryFn: async ({ signal }): Promise<Recording | null> => {
      const query = { note_id: noteId, limit: 1 };
      const { data } = await read(api.GET('/api/v1/recordings', { params: { query }, signal }));
      return data[0] ?? null;
    },
    staleTime: 60_000,
  });

/** The transcription of a note, also of one without a recording; null when it was deleted. */
export function useNoteTranscription(noteId: string): Listed | null | undefined {
  const recording = useNoteRecording(noteId).data;
  const { data } = useQuery({
    queryKey: ['transcriptions', 'of note', noteId],
    enabled: recording === null,
    queryFn: async ({ signal }): Promise<Listed | null> => {
      const query = { note_id: noteId, limit: 1 };
      const { data } = await read(api.GET('/api/v1/transcriptions/list', { params: { query }, signal }));
      return data[0] ?? null;
    },
    staleTime: 60_000,
  });
  if (!recording) return data;
  const { transcription_id: id, user_id } = recording;
  return id === null ? null : { id, user_id };
}

/** Corrects segments or renames speakers. Resolves when the changed note has been read again. */
export async function changeTranscription(
  client: QueryClient,
  { id, noteId }: { id: string; noteId: string },
  body: Changes,
): Promise<void> {
  await read(api.PATCH('/api/v1/transcriptions/{id}', { params: { path: { id } }, body }));
  void client.invalidateQueries({ queryKey: ['transcriptions'] });
  await refreshNote(client, noteId);
}

export const useRecording = (id: string) =>
  useQuery({ queryKey: oneKey(id), queryFn: () => fetchRecording(id) });

export async function retry(client: QueryClient, id: string): Promise<void> {
  await retryRecording(id);
  await client.invalidateQueries({ queryKey: oneKey(id) });
}

/** The words so far of a recording in progress. Also keeps its state up to date. */
export function useLiveWords(id: string, isUnderWay: boolean): string[] {
  const client = useQueryClient();
  const [live, setLive] = useState<LiveTranscript>({ texts: [], partial: '' });
  useEffect(() => {
    if (!isUnderWay) return;
    const recording = (now: Recording) => client.setQueryData<Recording>(oneKey(id), now);
    return followRecording(id, { live: setLive, recording });
  }, [client, id, isUnderWay]);
  return [...live.texts, live.partial].filter(Boolean);
}
