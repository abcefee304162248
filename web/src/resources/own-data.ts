import type { QueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';

/** Everything that the person has, as a zip to download. */
export const exportAddress = '/api/v1/export';

/** Adds what is in an export. What is here already stays as it is. */
export async function importExport(client: QueryClient, file: File) {
  const { data } = await api.POST('/api/v1/import', {
    body: file,
    headers: { 'content-type': 'application/zip' },
  });
  await client.invalidateQueries();
  return data;
}
