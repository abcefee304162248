import type { components } from '@steno/sdk';
import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api } from '../api/client.ts';

type Policy = components['schemas']['WorkspacePolicy'];
export type PolicyRule = keyof Policy;

const policyKey = (workspaceId: string) => ['workspace', workspaceId, 'policy'];
const at = (id: string) => ({ params: { path: { id } } });

export const usePolicy = (workspaceId: string) =>
  useQuery({
    queryKey: policyKey(workspaceId),
    queryFn: async () => (await api.GET('/api/workspaces/{id}/policy', at(workspaceId))).data,
  });

export const changePolicy = (workspaceId: string, body: Partial<Policy>) =>
  api.PATCH('/api/workspaces/{id}/policy', { ...at(workspaceId), body });

export const refreshPolicy = (workspaceId: string) =>
  cache.invalidateQueries({ queryKey: policyKey(workspaceId) });
