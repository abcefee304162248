import type { components } from '@steno/sdk';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { useData } from './use-data.ts';

type Policy = components['schemas']['WorkspacePolicy'];
export type PolicyRule = keyof Policy;

const policyKey = (workspaceId: string) => ['workspace', workspaceId, 'policy'];

export const usePolicy = (workspaceId: string) =>
  useData(policyKey(workspaceId), () => api.GET('/api/workspaces/{id}/policy', at({ id: workspaceId })));

export const changePolicy = (workspaceId: string, body: Partial<Policy>) =>
  api.PATCH('/api/workspaces/{id}/policy', { ...at({ id: workspaceId }), body });

export const refreshPolicy = (workspaceId: string) =>
  cache.invalidateQueries({ queryKey: policyKey(workspaceId) });
