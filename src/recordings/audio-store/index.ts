import type { SoundStore } from '../../ports/audio-store.ts';
import { createSoundFolder } from './folder.ts';

/** Where the sound of recordings is kept: a store that speaks S3, or a folder if no address is given. */
export async function openSounds({ url, folder }: { url: string; folder: string }): Promise<SoundStore> {
  if (url === '') return createSoundFolder(folder);
  const { createS3Sounds } = await import('./s3.ts');
  return createS3Sounds(url);
}

/** Copies what is not there yet. */
export async function copySounds(from: SoundStore, to: SoundStore): Promise<number> {
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
