import { type QueryClient, useQuery } from '@tanstack/react-query';
import { api, read } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';

export type Space = components['schemas']['Space'];
export type SpaceDraft = Pick<Space, 'name' | 'emoji' | 'description'>;

const listKey = (workspaceId: string) => ['workspace', workspaceId, 'spaces'];

export const useSpaces = (workspaceId: string) =>
  useQuery({
    queryKey: listKey(workspaceId),
    queryFn: async () =>
      (await read(api.GET('/api/workspaces/{id}/spaces', { params: { path: { id: workspaceId } } }))).data,
  });

export const createSpace = (workspaceId: string, body: SpaceDraft) =>
  read(api.POST('/api/workspaces/{id}/spaces', { params: { path: { id: workspaceId } }, body }));

const at = (id: string, space_id: string) => ({ params: { path: { id, space_id } } });

export const changeSpace = (workspaceId: string, spaceId: string, body: SpaceDraft) =>
  read(api.PATCH('/api/workspaces/{id}/spaces/{space_id}', { ...at(workspaceId, spaceId), body }));

export const archiveSpace = (workspaceId: string, spaceId: string) =>
  read(api.POST('/api/workspaces/{id}/spaces/{space_id}/archive', at(workspaceId, spaceId)));

export const refreshSpaces = (client: QueryClient, workspaceId: string) =>
  client.invalidateQueries({ queryKey: listKey(workspaceId) });
