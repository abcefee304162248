import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { maxNotesFound } from '../api/limits.ts';
import { type FoundNote, type FoundNotes, type ListedNote, type NotesPlace, searchKey } from './note-list.ts';
import { useData } from './use-data.ts';

type Highlight = NonNullable<FoundNote['highlights']>[number];

/** What a search found in a note: the excerpt with most of its words, and when it was said. */
export function matchOf(note: ListedNote | FoundNote): { excerpt?: Highlight | undefined; at?: number } {
  const found = ('highlights' in note && note.highlights) || [];
  // The same words, but only the transcript knows when.
  const isDouble = ({ field }: Highlight) =>
    field === 'content' && note.content_is_transcript && found.some((other) => other.field === 'transcript');
  const [excerpt] = found
    .filter((one) => one.field !== 'title' && !isDouble(one))
    .sort((one, other) => other.marks.length - one.marks.length);
  return { excerpt, ...(excerpt?.field === 'transcript' && { at: excerpt.seconds ?? 0 }) };
}

/** What narrows a search besides its place. */
export interface Narrowing {
  voice?: boolean;
  since?: string;
  until?: string;
  speaker?: string;
}

/** Searches all notes of the place, or those that are left. */
export const useNoteSearch = (query: string, place: NotesPlace, narrowing: Narrowing = {}) =>
  useQuery({
    queryKey: [
      ...searchKey,
      place.spaceId ?? 'own',
      place.folderId ?? 'all',
      place.tagId ?? 'any',
      query,
      narrowing,
    ],
    enabled: query !== '',
    queryFn: ({ signal }) => searchNotes(query, { ...place, ...narrowing }, maxNotesFound, signal),
    // Keep showing the previous results while the next ones load, so that the list does not flicker at every letter.
    placeholderData: (before) => before,
  });

export const searchNotes = (
  query: string,
  { spaceId, folderId, tagId, ...narrowing }: NotesPlace & Narrowing,
  limit: number,
  signal?: AbortSignal,
): Promise<FoundNotes> =>
  api.POST('/api/v1/notes/search', {
    body: {
      query,
      limit,
      highlights: true,
      ...narrowing,
      ...(folderId ? { folder_id: folderId } : {}),
      ...(tagId ? { tag_id: tagId } : {}),
      ...(spaceId ? { space_id: spaceId } : {}),
    },
    ...(signal ? { signal } : {}),
  });

/** The names of those who speak in the notes of the person or a space. */
export const useSpeakers = (spaceId: string | undefined) =>
  useData(['notes', 'speakers', spaceId ?? 'own'], (signal) => {
    const query = spaceId ? { space_id: spaceId } : {};
    return api.GET('/api/v1/notes/speakers', { params: { query }, signal });
  });
