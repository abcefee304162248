import { type QueryClient, useQuery } from '@tanstack/react-query';
import { api, read } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';

type Policy = components['schemas']['WorkspacePolicy'];
export type PolicyRule = keyof Policy;

const policyKey = (workspaceId: string) => ['workspace', workspaceId, 'policy'];
const at = (id: string) => ({ params: { path: { id } } });

export const usePolicy = (workspaceId: string) =>
  useQuery({
    queryKey: policyKey(workspaceId),
    queryFn: async () => (await read(api.GET('/api/workspaces/{id}/policy', at(workspaceId)))).data,
  });

export const changePolicy = (workspaceId: string, body: Partial<Policy>) =>
  read(api.PATCH('/api/workspaces/{id}/policy', { ...at(workspaceId), body }));

export const refreshPolicy = (client: QueryClient, workspaceId: string) =>
  client.invalidateQueries({ queryKey: policyKey(workspaceId) });
