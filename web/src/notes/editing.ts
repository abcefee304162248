import { createStore } from '../lib/store.ts';
import { isOwnSession } from './sessions.ts';

/** The notes that are being written elsewhere: by another person, a program, or in another window. */
export const editing = createStore<ReadonlySet<string>>(new Set());

/** A writer saves at every pause. After this time without a save they have stopped. */
const stillMs = 30_000;
const timers = new Map<string, ReturnType<typeof setTimeout>>();

/** These texts have just been changed. */
export function showEditing(changes: readonly { id: string; session: string | null }[]): void {
  const elsewhere = changes.filter(({ session }) => !isOwnSession(session));
  if (elsewhere.length === 0) return;
  editing.set(new Set([...editing.get(), ...elsewhere.map(({ id }) => id)]));
  for (const { id } of elsewhere) {
    clearTimeout(timers.get(id));
    timers.set(id, setTimeout(stop, stillMs, id));
  }
}

function stop(id: string): void {
  timers.delete(id);
  editing.set(new Set([...editing.get()].filter((one) => one !== id)));
}
