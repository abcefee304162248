import { type QueryClient, useQuery } from '@tanstack/react-query';
import { api, read } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';

export type Folder = components['schemas']['Folder'];

const listKey = ['folders'];

export const useFolders = () =>
  useQuery({
    queryKey: listKey,
    queryFn: async () => (await read(api.GET('/api/v1/folders/list'))).data,
    staleTime: 60_000,
  });

export async function createFolder(client: QueryClient, name: string): Promise<Folder> {
  const { data } = await read(api.POST('/api/v1/folders/create', { body: { name } }));
  await client.invalidateQueries({ queryKey: listKey });
  return data;
}
