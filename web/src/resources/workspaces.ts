import type { components } from '@steno/sdk';
import { cache } from '../api/cache.ts';
import { api } from '../api/client.ts';
import { useData } from './use-data.ts';

export type Workspace = components['schemas']['Workspace'];
export type Role = Workspace['role'];

const listKey = ['workspaces'];

export const useWorkspaces = () => useData(listKey, () => api.GET('/api/workspaces'));

export async function createWorkspace(name: string): Promise<Workspace> {
  const { data } = await api.POST('/api/workspaces', { body: { name } });
  await refreshWorkspaces();
  return data;
}

export const refreshWorkspaces = () => cache.invalidateQueries({ queryKey: listKey });
