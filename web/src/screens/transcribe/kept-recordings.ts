import { forgetInBrowser, keepInBrowser, keptInBrowser } from '../../lib/browser-storage.ts';
import type { Asked } from '../../resources/transcribe.ts';

/** A recording that is not transcribed yet. It is kept in this browser, so that a closed or reloaded page loses nothing. */
export interface KeptRecording {
  id: string;
  userId: string;
  name: string;
  asked: Asked;
}

interface Part extends KeptRecording {
  order: number;
  sound: Blob;
}

const prefixOf = (userId: string) => `${userId}/recording/`;
const keyOf = ({ userId, id, order }: Part) => `${prefixOf(userId)}${id}/${order}`;

/** `order` counts the parts of one recording. */
export function keepSound(recording: KeptRecording, sound: Blob, order = 0): void {
  const { id, userId, name, asked } = recording;
  const part = { id, userId, name, asked, order, sound };
  void keepInBrowser(keyOf(part), part);
}

export async function forgetSound({ userId, id }: Pick<KeptRecording, 'userId' | 'id'>): Promise<void> {
  const parts = await keptInBrowser<Part>(`${prefixOf(userId)}${id}/`);
  await Promise.all(parts.map((part) => forgetInBrowser(keyOf(part))));
}

/** What this person left behind, the sound put together again. */
export async function keptRecordings(userId: string): Promise<(KeptRecording & { file: Blob })[]> {
  const parts = await keptInBrowser<Part>(prefixOf(userId));
  return [...Map.groupBy(parts, ({ id }) => id).values()].flatMap((some) => {
    const [first, ...rest] = some.sort((one, other) => one.order - other.order);
    if (!first) return [];
    const { id, name, asked } = first;
    const sound = [first, ...rest].map((part) => part.sound);
    return [{ id, userId, name, asked, file: new Blob(sound, { type: first.sound.type }) }];
  });
}
