import type { components } from '@steno/sdk';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { isForGood } from '../api/errors.ts';
import { followOne } from '../api/follow.ts';
import { maxTitleLength, recordingsPerPage } from '../api/limits.ts';
import { changeNote, fetchNote, showSaved } from './notes.ts';
import { steady, usePages } from './use-pages.ts';

export type Recording = components['schemas']['Recording'];
export type ListedRecording = components['schemas']['ListedRecording'];

const everything = ['recordings'];

/** Newest first, with the beginning of their words: all, or those that say `text`. Polled while the server works on one of the newest. */
export const useRecordingList = (text: string, enabled: boolean) =>
  usePages(
    [...everything, 'list', text],
    (page, signal) => {
      const query = {
        limit: recordingsPerPage,
        include: 'words' as const,
        ...(text && { q: text }),
        ...page,
      };
      return api.GET('/api/v1/recordings', { params: { query }, signal });
    },
    {
      ...steady,
      enabled,
      refetchInterval: ({ state }) => {
        const [first, ...more] = state.data?.pages ?? [];
        return more.length === 0 && first?.data.some(isInWork) ? lookEveryMs : false;
      },
    },
  );

const lookEveryMs = 3_000;
export const isInWork = ({ state }: Recording) =>
  state === 'uploading' || state === 'queued' || state === 'transcribing';

/** Whether another try can help one that failed. */
export const mayTryAgain = ({ has_audio, error_code }: Recording) => has_audio && !isForGood(error_code);

/** Its note gets the name too, unless a person gave the note a title of its own. */
export async function renameRecording({ id, name: before, note_id }: Recording, name: string): Promise<void> {
  await api.PATCH('/api/v1/recordings/{id}', { ...at({ id }), body: { name } });
  await refreshRecordings();
  if (note_id !== null && (await titleOf(note_id)) === before)
    showSaved(await changeNote(note_id, { title: name.slice(0, maxTitleLength) }));
}

/** While it is sent or transcribed. Empty: how many people speak is not known. */
export const setSpeakers = (id: string, speakers: string) =>
  api.PATCH('/api/v1/recordings/{id}', {
    params: { path: { id } },
    body: { speakers: speakers === '' ? null : Number(speakers) },
  });

/** Undefined for a note that is in the trash. */
const titleOf = async (noteId: string) => (await fetchNote(noteId).catch(() => undefined))?.title;

/** After one was made or has ended, what is cached is out of date. */
export const refreshRecordings = () => cache.invalidateQueries({ queryKey: everything });

/** The newest, whatever their state. */
export const fetchNewestRecordings = async (): Promise<Recording[]> =>
  (await api.GET('/api/v1/recordings', { params: { query: { limit: recordingsPerPage } } })).data;

export const fetchRecording = async (id: string): Promise<Recording> =>
  (await api.GET('/api/v1/recordings/{id}', at({ id }))).data;

export const retryRecording = (id: string) => api.POST('/api/v1/recordings/{id}/retry', at({ id }));

export const deleteRecording = (id: string, withTranscription = false) =>
  api.DELETE('/api/v1/recordings/{id}', {
    params: { path: { id }, query: { with_transcription: withTranscription ? 'true' : 'false' } },
  });

/** The transcript so far. */
export interface LiveTranscript {
  /** Final, in order. */
  texts: readonly string[];
  /** The partial transcript, which may still change. */
  partial: string;
}

/** Reports the words so far, and the recording when it changes, until the returned function is called. */
export function followRecording(
  id: string,
  on: { live(live: LiveTranscript): void; recording(recording: Recording): void },
): () => void {
  let texts: string[] = [];
  return followOne('/api/v1/recordings/{id}/events', id, ({ event, data }) => {
    if (event === 'state') return on.recording(data);
    if (event === 'tail') return on.live({ texts, partial: data.text });
    texts = texts.slice();
    texts[data.position] = data.text;
    on.live({ texts, partial: '' });
  });
}
