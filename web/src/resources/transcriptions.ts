import { type QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api, read } from '../api/client.ts';
import { transcriptionsPerPage } from '../api/limits.ts';
import type { components } from '../api/schema.d.ts';
import { saveFile } from '../lib/save-file.ts';
import { refreshNoteLists } from './note-list.ts';
import { createNote } from './notes.ts';

export type Transcription = components['schemas']['Transcription'];
export type ListedTranscription = components['schemas']['ListedTranscription'];
export type FileFormat = 'text' | 'srt' | 'vtt' | 'json';

/** 2,000 transcriptions; only a machine that transcribes day and night has more in a month. */
const maxPages = 20;
const everything = ['transcriptions'];
const listKey = [...everything, 'list'];
const oneKey = (id: string) => [...everything, 'one', id];

export const useTranscription = (id: string) =>
  useQuery({ queryKey: oneKey(id), queryFn: () => fetchTranscription(id) });

async function fetchTranscription(id: string): Promise<Transcription> {
  const answer = await read(api.GET('/api/v1/transcriptions/{id}', { params: { path: { id } } }));
  if (typeof answer === 'string') throw new TypeError('JSON was asked for, text came.');
  return answer.data;
}

const fetchPage = (query: { cursor?: string; recorded?: 'false' }, signal: AbortSignal) =>
  read(
    api.GET('/api/v1/transcriptions/list', {
      params: { query: { limit: transcriptionsPerPage, ...query } },
      signal,
    }),
  );

/** Those of `POST /transcribe`; a recording's transcription is found through the recording. */
export const useTranscriptionList = () =>
  useInfiniteQuery({
    queryKey: listKey,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      fetchPage({ recorded: 'false', ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    getNextPageParam: (page) => page.next_cursor,
  });

/** All transcriptions since `date` (`2026-05-03`), newest first. `capped` is true when there were too many to read. */
export const useTranscriptionsSince = (date: string) =>
  useQuery({
    queryKey: [...everything, 'since', date],
    queryFn: ({ signal }) => fetchSince(date, signal),
    staleTime: 60_000,
  });

async function fetchSince(date: string, signal: AbortSignal) {
  const records: ListedTranscription[] = [];
  let cursor: string | null = '';
  for (let pages = 0; pages < maxPages; pages++) {
    const page: Awaited<ReturnType<typeof fetchPage>> = await fetchPage(cursor ? { cursor } : {}, signal);
    records.push(...page.data);
    cursor = page.next_cursor;
    const oldest = records.at(-1);
    if (cursor === null || (oldest && oldest.created_at < date)) return { records, capped: false };
  }
  return { records, capped: true };
}

/** After a new transcription, everything cached is out of date. */
export const refreshTranscriptions = (client: QueryClient) =>
  client.invalidateQueries({ queryKey: everything });

/** Downloads the file that the API serves; for JSON, the record itself, indented. */
export async function downloadAs(id: string, format: FileFormat, baseName: string): Promise<void> {
  if (format === 'json') {
    const record = await fetchTranscription(id);
    return saveFile(`${baseName}.json`, JSON.stringify(record, null, 2), 'application/json');
  }
  const content = await read(
    api.GET('/api/v1/transcriptions/{id}', {
      params: { path: { id }, query: { format } },
      parseAs: 'text',
    }),
  );
  saveFile(`${baseName}.${format === 'text' ? 'txt' : format}`, content);
}

export async function deleteTranscription(client: QueryClient, id: string): Promise<void> {
  await read(api.DELETE('/api/v1/transcriptions/{id}', { params: { path: { id } } }));
  client.removeQueries({ queryKey: oneKey(id) });
  await client.invalidateQueries({ queryKey: listKey });
}

/** The transcript becomes the note's text. The transcription stays linked, because it has the times. */
export async function saveAsNote(
  client: QueryClient,
  record: Transcription,
  { title, folderId }: { title: string; folderId: string },
): Promise<void> {
  const note = await createNote({
    content: record.text,
    note_type: 'upload',
    transcription_id: record.id,
    ...(title ? { title } : {}),
    ...(folderId ? { folder_id: folderId } : {}),
  });
  client.setQueryData<Transcription>(oneKey(record.id), { ...record, note_id: note.id });
  client.invalidateQueries({ queryKey: listKey });
  refreshNoteLists(client);
}
