import { cache } from '../api/cache.ts';
import { api } from '../api/client.ts';
import { zipOf } from '../lib/zip.ts';

/** Everything that the person has, as a zip to download. */
export const exportAddress = '/api/v1/export';

const isMarkdown = ({ name }: File) => /\.md$/i.test(name);

/** Of several files, only Markdown files can be imported at once. */
export const canImport = (files: readonly File[]) => files.length === 1 || files.every(isMarkdown);

/** Adds what is in an export, in Markdown files or in a zip of them. What is here already stays as it is. */
export async function importFiles(files: readonly File[]) {
  const [zip] = files.filter((file) => !isMarkdown(file));
  const { data } = await api.POST('/api/v1/import', {
    body: zip ?? (await zipOf(files)),
    headers: { 'content-type': 'application/zip' },
  });
  await cache.invalidateQueries();
  return data;
}
