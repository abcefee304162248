import type { components } from '@steno/sdk';
import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api } from '../api/client.ts';

export type Workspace = components['schemas']['Workspace'];
export type Role = Workspace['role'];

const listKey = ['workspaces'];

export const useWorkspaces = () =>
  useQuery({
    queryKey: listKey,
    queryFn: async () => (await api.GET('/api/workspaces')).data,
  });

export async function createWorkspace(name: string): Promise<Workspace> {
  const { data } = await api.POST('/api/workspaces', { body: { name } });
  await refreshWorkspaces();
  return data;
}

export const refreshWorkspaces = () => cache.invalidateQueries({ queryKey: listKey });
