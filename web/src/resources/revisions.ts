import { api, at } from '../api/client.ts';
import { useData } from './use-data.ts';

/** The last replaced first. Never cached: the person may just have written. */
export const useRevisions = (id: string) =>
  useData(['revisions', id], () => api.GET('/api/v1/notes/{id}/revisions', at({ id })), { staleTime: 0 });

export const useRevision = (id: string, revision_id = '') =>
  useData(
    ['revisions', id, revision_id],
    () => api.GET('/api/v1/notes/{id}/revisions/{revision_id}', at({ id, revision_id })),
    { enabled: revision_id !== '', staleTime: Number.POSITIVE_INFINITY },
  );

export const restoreRevision = async (id: string, revision_id: string) =>
  (await api.POST('/api/v1/notes/{id}/revisions/{revision_id}/restore', at({ id, revision_id }))).data;
