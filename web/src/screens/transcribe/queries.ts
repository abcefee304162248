import { type QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { saveFile } from './save-file.ts';

export type Transcription = components['schemas']['Transcription'];
export type ListedTranscription = components['schemas']['ListedTranscription'];
export type Segment = components['schemas']['Segment'];
export type Format = 'text' | 'srt' | 'vtt' | 'json';

const pageSize = 100;
const everything = ['transcriptions'];
const oneKey = (id: string) => [...everything, 'one', id];

export const useTranscription = (id: string) =>
  useQuery({ queryKey: oneKey(id), queryFn: () => fetchTranscription(id) });

async function fetchTranscription(id: string): Promise<Transcription> {
  const answer = await read(api.GET('/api/v1/transcriptions/{id}', { params: { path: { id } } }));
  if (typeof answer === 'string') throw new TypeError('JSON was asked for, text came.');
  return answer.data;
}

export const fetchPage = (query: { cursor?: string; language?: string }, signal: AbortSignal) =>
  read(api.GET('/api/v1/transcriptions/list', { params: { query: { limit: pageSize, ...query } }, signal }));

export const useTranscriptionList = (language: string) =>
  useInfiniteQuery({
    queryKey: [...everything, 'list', language],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      fetchPage({ ...(pageParam ? { cursor: pageParam } : {}), ...(language ? { language } : {}) }, signal),
    getNextPageParam: (page) => page.next_cursor,
  });

/** The file as the API gives it; JSON is the record itself, indented. */
export async function downloadAs(id: string, format: Format, baseName: string): Promise<void> {
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
  await client.invalidateQueries({ queryKey: [...everything, 'list'] });
}

interface NoteDraft {
  record: Transcription;
  title: string;
  folderId: string;
}

/** The note's text is the transcript; the record stays linked, so that the note has its times. */
export async function saveAsNote(
  client: QueryClient,
  { record, title, folderId }: NoteDraft,
): Promise<string> {
  const { data } = await read(
    api.POST('/api/v1/notes/create', {
      body: {
        content: record.text,
        note_type: 'upload',
        transcription_id: record.id,
        ...(title ? { title } : {}),
        ...(folderId ? { folder_id: folderId } : {}),
      },
    }),
  );
  client.setQueryData<Transcription>(oneKey(record.id), { ...record, note_id: data.id });
  client.invalidateQueries({ queryKey: [...everything, 'list'] });
  client.invalidateQueries({ queryKey: ['notes', 'list'] });
  return data.id;
}
