import type { operations } from '@steno/sdk';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { useData } from './use-data.ts';

type KeyDraft = operations['createWorkspaceKey']['requestBody']['content']['application/json'];

const listKey = (workspaceId: string) => ['workspace', workspaceId, 'keys'];

export const useWorkspaceKeys = (id: string, enabled: boolean) =>
  useData(listKey(id), () => api.GET('/api/workspaces/{id}/api-keys', at({ id })), { enabled });

export const createWorkspaceKey = async (id: string, body: KeyDraft) =>
  (await api.POST('/api/workspaces/{id}/api-keys', { ...at({ id }), body })).data;

export const revokeWorkspaceKey = (id: string, key_id: string) =>
  api.DELETE('/api/workspaces/{id}/api-keys/{key_id}', at({ id, key_id }));

export async function rotateWorkspaceKey(id: string, key_id: string, grace_hours: number) {
  const options = { ...at({ id, key_id }), body: { grace_hours } };
  return (await api.POST('/api/workspaces/{id}/api-keys/{key_id}/rotate', options)).data;
}

export const refreshWorkspaceKeys = (id: string) => cache.invalidateQueries({ queryKey: listKey(id) });
