import type { operations } from '@steno/sdk';
import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api } from '../api/client.ts';

type KeyDraft = operations['createWorkspaceKey']['requestBody']['content']['application/json'];

const listKey = (workspaceId: string) => ['workspace', workspaceId, 'keys'];
const at = (id: string) => ({ params: { path: { id } } });

export const useWorkspaceKeys = (workspaceId: string, enabled: boolean) =>
  useQuery({
    queryKey: listKey(workspaceId),
    enabled,
    queryFn: async () => (await api.GET('/api/workspaces/{id}/api-keys', at(workspaceId))).data,
  });

export const createWorkspaceKey = async (workspaceId: string, body: KeyDraft) =>
  (await api.POST('/api/workspaces/{id}/api-keys', { ...at(workspaceId), body })).data;

export const revokeWorkspaceKey = (id: string, key_id: string) =>
  api.DELETE('/api/workspaces/{id}/api-keys/{key_id}', { params: { path: { id, key_id } } });

export const rotateWorkspaceKey = async (id: string, key_id: string, graceHours: number) =>
  (
    await api.POST('/api/workspaces/{id}/api-keys/{key_id}/rotate', {
      params: { path: { id, key_id } },
      body: { grace_hours: graceHours },
    })
  ).data;

export const refreshWorkspaceKeys = (workspaceId: string) =>
  cache.invalidateQueries({ queryKey: listKey(workspaceId) });
