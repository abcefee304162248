import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';

/** The last replaced first. Never cached: the person may just have written. */
export const useRevisions = (noteId: string) =>
  useQuery({
    queryKey: ['revisions', noteId],
    queryFn: async () =>
      (await api.GET('/api/v1/notes/{id}/revisions', { params: { path: { id: noteId } } })).data,
    staleTime: 0,
  });

const at = (id: string, revision_id: string) => ({ params: { path: { id, revision_id } } });

export const useRevision = (noteId: string, revisionId: string | undefined) =>
  useQuery({
    queryKey: ['revisions', noteId, revisionId],
    enabled: revisionId !== undefined,
    queryFn: async () =>
      (await api.GET('/api/v1/notes/{id}/revisions/{revision_id}', at(noteId, revisionId ?? ''))).data,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const restoreRevision = async (noteId: string, revisionId: string) =>
  (await api.POST('/api/v1/notes/{id}/revisions/{revision_id}/restore', at(noteId, revisionId))).data;
