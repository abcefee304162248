import { type QueryClient, useQuery } from '@tanstack/react-query';
import { api, read } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';

export type Workspace = components['schemas']['Workspace'];
export type Role = Workspace['role'];

const listKey = ['workspaces'];

export const useWorkspaces = () =>
  useQuery({
    queryKey: listKey,
    queryFn: async () => (await read(api.GET('/api/workspaces'))).data,
  });

export async function createWorkspace(client: QueryClient, name: string): Promise<Workspace> {
  const { data } = await read(api.POST('/api/workspaces', { body: { name } }));
  await refreshWorkspaces(client);
  return data;
}

export const refreshWorkspaces = (client: QueryClient) => client.invalidateQueries({ queryKey: listKey });
