import type { AudioStore } from './audio-store.ts';
import { createAudioFolder } from './folder.ts';

export { createAudioFolder } from './folder.ts';
export { requireSharedFolder } from './own-folder.ts';
export { createAudioProbe } from './probe.ts';

interface Place {
  url: string;
  folder: string;
  /** Of the names of files in the folder. */
  ending?: string;
}

/** Where the audio of recordings is kept: a store that speaks S3, or a folder if no address is given. */
export async function openAudioStore({ url, folder, ending }: Place): Promise<AudioStore> {
  if (url === '') return createAudioFolder(folder, ending);
  const { createS3AudioStore } = await import('./s3.ts');
  return createS3AudioStore(url);
}
