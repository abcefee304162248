import { createHash } from 'node:crypto';
import { serviceUnavailable } from '../../domain/errors.ts';
import type { AudioStore } from '../audio-store/audio-store.ts';

export interface Recording {
  id: string;
  bytes: number;
}

/**
 * Copies audio from one store to another and compares what arrived. What is there already is not copied again, so a copy that
 * was cut off goes on. `missing`: the first store does not have it either.
 */
export async function copyAudio(
  recordings: readonly Recording[],
  from: AudioStore,
  to: AudioStore,
  onDone: (done: number) => void = () => {},
): Promise<{ copied: number; present: number; missing: number }> {
  const [source, target] = [await sizes(from), await sizes(to)];
  const result = { copied: 0, present: 0, missing: 0 };
  for (const [index, { id, bytes }] of recordings.entries()) {
    onDone(index);
    if (bytes === 0 || (source.get(id) ?? 0) < bytes) {
      result.missing += 1;
      continue;
    }
    const wanted = await digest(from, id, bytes);
    if (target.get(id) === bytes && (await digest(to, id, bytes)) === wanted) {
      result.present += 1;
      continue;
    }
    await to.append(id, 0, from.read(id, { start: 0, end: bytes }), async () => {});
    if ((await digest(to, id, bytes)) !== wanted)
      throw serviceUnavailable(`The audio of ${id} did not arrive as it is; run the command again.`);
    result.copied += 1;
  }
  return result;
}

/** How much audio there is of each recording. */
export async function sizes(store: AudioStore): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const { id, bytes } of store.list()) found.set(id, bytes);
  return found;
}

/** The SHA-256 of the first bytes. */
export async function digest(store: AudioStore, id: string, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of store.read(id, { start: 0, end: bytes })) hash.update(chunk);
  return hash.digest('hex');
}
