import type { components } from '@steno/sdk';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { useData } from './use-data.ts';
import { type Role, refreshWorkspaces } from './workspaces.ts';

export type Member = components['schemas']['WorkspaceMember'];

const listKey = (workspaceId: string) => ['workspace', workspaceId, 'members'];

export const useMembers = (id: string | undefined) =>
  useData(listKey(id ?? ''), () => api.GET('/api/workspaces/{id}/members', at({ id: id ?? '' })), {
    enabled: id !== undefined,
  });

export const changeMember = (id: string, user_id: string, body: { role?: Role; managed?: boolean }) =>
  api.PATCH('/api/workspaces/{id}/members/{user_id}', { ...at({ id, user_id }), body });

export const removeMember = (id: string, user_id: string, revokeKeys: boolean) =>
  api.DELETE('/api/workspaces/{id}/members/{user_id}', {
    params: { path: { id, user_id }, query: { revoke_keys: revokeKeys ? 'true' : 'false' } },
  });

export async function refreshMembers(workspaceId: string): Promise<void> {
  await cache.invalidateQueries({ queryKey: listKey(workspaceId) });
  // Your own role may have changed.
  await refreshWorkspaces();
}
