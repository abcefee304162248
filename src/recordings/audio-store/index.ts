import type { AudioStore } from '../../ports/audio-store.ts';
import { createAudioFolder } from './folder.ts';

export { createAudioFolder } from './folder.ts';

/** Where the audio of recordings is kept: a store that speaks S3, or a folder if no address is given. */
export async function openAudioStore({ url, folder }: { url: string; folder: string }): Promise<AudioStore> {
  if (url === '') return createAudioFolder(folder);
  const { createS3AudioStore } = await import('./s3.ts');
  return createS3AudioStore(url);
}

/** Copies what is not there yet. */
export async function copyAudio(from: AudioStore, to: AudioStore): Promise<number> {
  const known = new Map<string, number>();
  for await (const { id, bytes } of to.list()) known.set(id, bytes);
  let copied = 0;
  for await (const { id, bytes } of from.list()) {
    if (known.get(id) === bytes) continue;
    await to.append(id, 0, from.read(id, { start: 0, end: bytes }), async () => {});
    copied += 1;
  }
  return copied;
}
