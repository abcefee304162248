import type { components } from '@steno/sdk';
import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { transcriptionsPerPage } from '../api/limits.ts';
import { saveFile } from '../lib/save-file.ts';
import { refreshNoteLists } from './note-list.ts';
import { createNote } from './notes.ts';
import { steady, usePages } from './use-pages.ts';

export type Transcription = components['schemas']['Transcription'];
export type ListedTranscription = components['schemas']['ListedTranscription'];
export type FileFormat = 'text' | 'srt' | 'vtt' | 'json';

const everything = ['transcriptions'];
const listKey = [...everything, 'list'];
const oneKey = (id: string) => [...everything, 'one', id];

export const useTranscription = (id: string) =>
  useQuery({ queryKey: oneKey(id), queryFn: () => fetchTranscription(id) });

async function fetchTranscription(id: string): Promise<Transcription> {
  const answer = await api.GET('/api/v1/transcriptions/{id}', at({ id }));
  if (typeof answer === 'string') throw new TypeError('JSON was asked for, text came.');
  return answer.data;
}

/** The transcriptions of `POST /transcribe`; a recording's transcription is found through the recording. */
export const useTranscriptionList = (text: string, enabled: boolean) =>
  usePages(
    [...listKey, text],
    (page, signal) => {
      const query = {
        limit: transcriptionsPerPage,
        recorded: 'false' as const,
        ...(text && { q: text }),
        ...page,
      };
      return api.GET('/api/v1/transcriptions/list', { params: { query }, signal });
    },
    { ...steady, enabled },
  );

/** After a new transcription, everything cached is out of date. */
export const refreshTranscriptions = () => cache.invalidateQueries({ queryKey: everything });

/** Downloads the file that the API serves; for JSON, the record itself, indented. */
export async function downloadAs(id: string, format: FileFormat, baseName: string): Promise<void> {
  if (format === 'json') {
    const record = await fetchTranscription(id);
    return saveFile(`${baseName}.json`, JSON.stringify(record, null, 2), 'application/json');
  }
  const content = await api.GET('/api/v1/transcriptions/{id}', {
    params: { path: { id }, query: { format } },
    parseAs: 'text',
  });
  saveFile(`${baseName}.${format === 'text' ? 'txt' : format}`, content);
}

export async function deleteTranscription(id: string): Promise<void> {
  await api.DELETE('/api/v1/transcriptions/{id}', at({ id }));
  cache.removeQueries({ queryKey: oneKey(id) });
  await cache.invalidateQueries({ queryKey: listKey });
}

/** The transcript becomes the note's text. The transcription stays linked, because it has the times. */
export async function saveAsNote(
  record: Transcription,
  { title, folderId }: { title: string; folderId: string },
): Promise<void> {
  const note = await createNote({
    content: record.text,
    note_type: 'upload',
    transcription_id: record.id,
    content_is_transcript: true,
    ...(title ? { title } : {}),
    ...(folderId ? { folder_id: folderId } : {}),
  });
  cache.setQueryData<Transcription>(oneKey(record.id), { ...record, note_id: note.id });
  cache.invalidateQueries({ queryKey: listKey });
  refreshNoteLists();
}
