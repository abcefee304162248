import type { QueryClient } from '@tanstack/react-query';
import { api, read } from '../api/client.ts';

/** Everything that the person has, as a zip to download. */
export const exportAddress = '/api/v1/export';

/** Adds what is in an export. What is here already stays as it is. */
export async function importExport(client: QueryClient, file: File) {
  const { data } = await read(
    api.POST('/api/v1/import', {
      // The file is the body as it is; the generated types call bytes a string.
      body: '',
      bodySerializer: () => file,
      headers: { 'content-type': 'application/zip' },
    }),
  );
  await client.invalidateQueries();
  return data;
}
