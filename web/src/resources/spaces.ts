import type { components } from '@steno/sdk';
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { useWorkspaces } from './workspaces.ts';

export type Space = components['schemas']['Space'];
export type SpaceDraft = Pick<Space, 'name' | 'emoji' | 'description'>;

const listKey = (workspaceId: string) => ['workspace', workspaceId, 'spaces'];

const spacesOf = (workspaceId: string) =>
  queryOptions({
    queryKey: listKey(workspaceId),
    queryFn: async () => (await api.GET('/api/workspaces/{id}/spaces', at({ id: workspaceId }))).data,
  });

export const useSpaces = (workspaceId: string) => useQuery(spacesOf(workspaceId));

/** The workspaces that have spaces, with these. */
export function useSharedSpaces() {
  const workspaces = useWorkspaces().data ?? [];
  return useQueries({
    queries: workspaces.map(({ id }) => ({ ...spacesOf(id), staleTime: 5 * 60_000 })),
    combine: (lists) =>
      workspaces.flatMap(({ id, name }, at) => {
        const spaces = lists[at]?.data ?? [];
        return spaces.length === 0 ? [] : [{ id, name, spaces }];
      }),
  });
}

/** Where the members of a workspace share notes; its own page if it has no space. */
export async function sharedPlaceOf(workspaceId: string): Promise<string> {
  const [first] = await cache.fetchQuery(spacesOf(workspaceId));
  return first ? `/notes?space=${first.id}` : `/workspaces/${workspaceId}`;
}

export const createSpace = (id: string, body: SpaceDraft) =>
  api.POST('/api/workspaces/{id}/spaces', { ...at({ id }), body });

export const changeSpace = (id: string, space_id: string, body: SpaceDraft) =>
  api.PATCH('/api/workspaces/{id}/spaces/{space_id}', { ...at({ id, space_id }), body });

export const archiveSpace = (id: string, space_id: string) =>
  api.POST('/api/workspaces/{id}/spaces/{space_id}/archive', at({ id, space_id }));

export const refreshSpaces = (id: string) => cache.invalidateQueries({ queryKey: listKey(id) });
