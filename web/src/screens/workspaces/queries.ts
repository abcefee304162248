import { type QueryClient, useQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';

type Schemas = components['schemas'];
export type Workspace = Schemas['Workspace'];
export type Member = Schemas['WorkspaceMember'];
export type Space = Schemas['Space'];
export type Role = Workspace['role'];
export type PolicySwitch = keyof Schemas['WorkspacePolicy'];

const listKey = ['workspaces'];

export const useWorkspaces = () =>
  useQuery({
    queryKey: listKey,
    queryFn: async () => (await read(api.GET('/api/workspaces'))).data,
  });

export const refreshList = (client: QueryClient) => client.invalidateQueries({ queryKey: listKey });

export async function createWorkspace(client: QueryClient, name: string): Promise<Workspace> {
  const { data } = await read(api.POST('/api/workspaces', { body: { name } }));
  await refreshList(client);
  return data;
}

type Part = 'members' | 'spaces' | 'keys' | 'policy';
const partKey = (id: string, part: Part) => ['workspace', id, part];

/** What a change to one part of a workspace makes out of date. */
export async function refreshPart(client: QueryClient, id: string, part: Part): Promise<void> {
  await client.invalidateQueries({ queryKey: partKey(id, part) });
  // One's own role may have changed.
  if (part === 'members') await refreshList(client);
}

const at = (id: string) => ({ params: { path: { id } } });

export const useMembers = (id: string) =>
  useQuery({
    queryKey: partKey(id, 'members'),
    queryFn: async () => (await read(api.GET('/api/workspaces/{id}/members', at(id)))).data,
  });

export const usePolicy = (id: string) =>
  useQuery({
    queryKey: partKey(id, 'policy'),
    queryFn: async () => (await read(api.GET('/api/workspaces/{id}/policy', at(id)))).data,
  });

export const useSpaces = (id: string) =>
  useQuery({
    queryKey: partKey(id, 'spaces'),
    queryFn: async () => (await read(api.GET('/api/workspaces/{id}/spaces', at(id)))).data,
  });

export const useWorkspaceKeys = (id: string, enabled: boolean) =>
  useQuery({
    queryKey: partKey(id, 'keys'),
    enabled,
    queryFn: async () => (await read(api.GET('/api/workspaces/{id}/api-keys', at(id)))).data,
  });
