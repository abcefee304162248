import type { components } from '@steno/sdk';
import { type QueryClient, useQuery } from '@tanstack/react-query';
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

export const refreshPolicy = (client: QueryClient, workspaceId: string) =>
  client.invalidateQueries({ queryKey: policyKey(workspaceId) });
