import type { components } from '@steno/sdk';
import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api } from '../api/client.ts';
import { type Role, refreshWorkspaces } from './workspaces.ts';

export type Member = components['schemas']['WorkspaceMember'];

const listKey = (workspaceId: string) => ['workspace', workspaceId, 'members'];

export const useMembers = (id: string | undefined) =>
  useQuery({
    queryKey: listKey(id ?? ''),
    enabled: id !== undefined,
    queryFn: async () =>
      (await api.GET('/api/workspaces/{id}/members', { params: { path: { id: id ?? '' } } })).data,
  });

const at = (id: string, user_id: string) => ({ params: { path: { id, user_id } } });

export const changeMember = (workspaceId: string, userId: string, body: { role?: Role; managed?: boolean }) =>
  api.PATCH('/api/workspaces/{id}/members/{user_id}', { ...at(workspaceId, userId), body });

export const removeMember = (id: string, user_id: string, revokeKeys: boolean) =>
  api.DELETE('/api/workspaces/{id}/members/{user_id}', {
    params: { path: { id, user_id }, query: { revoke_keys: revokeKeys ? 'true' : 'false' } },
  });

export async function refreshMembers(workspaceId: string): Promise<void> {
  await cache.invalidateQueries({ queryKey: listKey(workspaceId) });
  // Your own role may have changed.
  await refreshWorkspaces();
}
