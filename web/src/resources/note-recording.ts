import type { components, operations } from '@steno/sdk';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { recordingsPerPage, transcriptionsPerPage } from '../api/limits.ts';
import { refreshNote } from './notes.ts';
import {
  fetchRecording,
  followRecording,
  type LiveTranscript,
  type Recording,
  retryRecording,
} from './recordings.ts';
import { useData } from './use-data.ts';

type Listed = components['schemas']['ListedTranscription'];
type Changes = operations['updateTranscription']['requestBody']['content']['application/json'];

const oneKey = (id: string) => ['recordings', 'one', id];

/** The address of the audio; the browser sends the session cookie. */
export const audioAddress = (id: string) => `/api/v1/recordings/${id}/audio`;

const waveformOf = (id: string) => ({
  queryKey: ['recordings', 'waveform', id],
  queryFn: async () => (await api.GET('/api/v1/recordings/{id}/waveform', at({ id }))).data.peaks,
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** How loud these recordings are, one after the other, each part 0 to 255. Undefined until all are known. */
export function useWaveform(recordings: readonly Recording[]): readonly number[] | undefined {
  const found = useQueries({ queries: recordings.map(({ id }) => waveformOf(id)) });
  const [first, ...more] = found;
  if (more.length === 0) return first?.data;
  if (found.some(({ data }) => !data?.length)) return undefined;
  const whole = recordings.reduce((sum, { duration_ms }) => sum + (duration_ms ?? 0), 0);
  return recordings.flatMap(({ duration_ms }, at) => {
    const peaks = found[at]?.data ?? [];
    const share = Math.round((shownPeaks * (duration_ms ?? 0)) / Math.max(1, whole));
    return Array.from({ length: share }, (_, peak) => peaks[Math.floor((peak * peaks.length) / share)] ?? 0);
  });
}

const shownPeaks = 500;

/** A part of the transcript of a note: what was said in one recording. */
export interface SaidPart {
  transcriptionId: string;
  userId: string;
  /** When it begins in the transcript of the note. */
  start: number;
  /** Undefined if it is the only one. */
  segments: readonly { speaker: string | null }[] | undefined;
}

/** The recordings of the note, the first first. */
export const useNoteRecordings = (noteId: string) =>
  useQuery({
    queryKey: ['recordings', 'of note', noteId],
    queryFn: async ({ signal }): Promise<Recording[]> => {
      const query = { note_id: noteId, limit: recordingsPerPage };
      const { data } = await api.GET('/api/v1/recordings', { params: { query }, signal });
      return data.toReversed();
    },
    staleTime: 60_000,
  });

/** What the transcript of a note is made of. Undefined until it is known; empty when all was deleted. */
export function useSaidParts(noteId: string): readonly SaidPart[] | undefined {
  const recordings = useNoteRecordings(noteId).data;
  const [only, ...more] = recordings ?? [];
  const isOne = only !== undefined && more.length === 0;
  const { data } = useData(
    ['transcriptions', 'of note', noteId],
    (signal) => {
      const query = { note_id: noteId, limit: transcriptionsPerPage, include: 'segments' as const };
      return api.GET('/api/v1/transcriptions/list', { params: { query }, signal });
    },
    {
      enabled: recordings !== undefined && !isOne,
      staleTime: 60_000,
    },
  );
  return useMemo(() => {
    if (isOne) {
      const { transcription_id: transcriptionId, user_id: userId } = only;
      return transcriptionId === null ? [] : [{ transcriptionId, userId, start: 0, segments: undefined }];
    }
    return data && inOrder(data, recordings ?? []);
  }, [isOne, only, data, recordings]);
}

/** As the server joins them: by the time of the recording. */
function inOrder(said: readonly Listed[], recordings: readonly Recording[]): SaidPart[] {
  const begunAt = ({ id, created_at }: Listed) =>
    recordings.find(({ transcription_id }) => transcription_id === id)?.created_at ?? created_at;
  let start = 0;
  return said
    .toSorted((one, other) => begunAt(one).localeCompare(begunAt(other)) || one.id.localeCompare(other.id))
    .map(({ id, user_id, segments, audio_duration_ms }) => {
      const from = start;
      start += (audio_duration_ms ?? 0) / 1000;
      return { transcriptionId: id, userId: user_id, start: from, segments: segments ?? [] };
    });
}

/** Corrects segments or renames speakers. Resolves when the changed note has been read again. */
export async function changeTranscription(
  { id, noteId }: { id: string; noteId: string },
  body: Changes,
): Promise<void> {
  await api.PATCH('/api/v1/transcriptions/{id}', { ...at({ id }), body });
  void cache.invalidateQueries({ queryKey: ['transcriptions'] });
  await refreshNote(noteId);
}

export const useRecording = (id: string) =>
  useQuery({ queryKey: oneKey(id), queryFn: () => fetchRecording(id) });

export async function retry(id: string): Promise<void> {
  await retryRecording(id);
  await cache.invalidateQueries({ queryKey: oneKey(id) });
}

/** The words so far of a recording in progress. Also keeps its state up to date. */
export function useLiveWords(id: string, isUnderWay: boolean): string[] {
  const [live, setLive] = useState<LiveTranscript>({ texts: [], partial: '' });
  useEffect(() => {
    if (!isUnderWay) return;
    const recording = (now: Recording) => cache.setQueryData<Recording>(oneKey(id), now);
    return followRecording(id, { live: setLive, recording });
  }, [id, isUnderWay]);
  return [...live.texts, live.partial].filter(Boolean);
}
