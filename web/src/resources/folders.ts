import type { components } from '@steno/sdk';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { refreshNoteLists } from './note-list.ts';
import { useData } from './use-data.ts';

export type Folder = components['schemas']['Folder'];

const listKey = ['folders'];

/** The folders of a space, or the person's own. */
export const useFolders = (spaceId?: string) =>
  useData([...listKey, spaceId ?? 'own'], () =>
    api.GET('/api/v1/folders/list', { params: { query: spaceId ? { space_id: spaceId } : {} } }),
  );

export async function createFolder(name: string, spaceId?: string): Promise<Folder> {
  const body = { name, ...(spaceId ? { space_id: spaceId } : {}) };
  const { data } = await api.POST('/api/v1/folders/create', { body });
  await refresh();
  return data;
}

export async function renameFolder(id: string, name: string): Promise<void> {
  await api.PATCH('/api/v1/folders/{id}', { ...at({ id }), body: { name } });
  await refresh();
}

/** Its notes stay without a folder, or go to the trash. */
export async function deleteFolder(id: string, notes: 'keep' | 'trash'): Promise<void> {
  await api.DELETE('/api/v1/folders/{id}', { params: { path: { id }, query: { notes } } });
  await Promise.all([refresh(), refreshNoteLists()]);
}

const refresh = () => cache.invalidateQueries({ queryKey: listKey });
