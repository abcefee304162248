import type { components } from '@steno/sdk';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';

export type Workspace = components['schemas']['Workspace'];
export type Role = Workspace['role'];

const listKey = ['workspaces'];

export const useWorkspaces = () =>
  useQuery({
    queryKey: listKey,
    queryFn: async () => (await api.GET('/api/workspaces')).data,
  });

export async function createWorkspace(client: QueryClient, name: string): Promise<Workspace> {
  const { data } = await api.POST('/api/workspaces', { body: { name } });
  await refreshWorkspaces(client);
  return data;
}

export const refreshWorkspaces = (client: QueryClient) => client.invalidateQueries({ queryKey: listKey });
