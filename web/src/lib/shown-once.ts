import { createStore, useStore } from './store.ts';
import { askBeforeReload } from './unsaved.ts';

const shown = createStore<ReadonlyMap<string, readonly unknown[]>>(new Map());
askBeforeReload(() => shown.get().size > 0);

/**
 * Secrets that the server tells only once: a new key, an invitation link. Each stays until the person says that it is kept, also
 * when another is made or another screen is opened; a reload asks first.
 */
export function useShownOnce<Value>(place: string) {
  // Only `show` writes to the place.
  const values = (useStore(shown).get(place) ?? []) as readonly Value[];
  return {
    values,
    show: (value: Value) => put(place, [value, ...at(place)]),
    dismiss: (value: Value) =>
      put(
        place,
        at(place).filter((one) => one !== value),
      ),
  };
}

/** When the person signs out. */
export const forgetShownOnce = (): void => shown.set(new Map());

const at = (place: string) => shown.get().get(place) ?? [];

function put(place: string, values: readonly unknown[]): void {
  const next = new Map(shown.get());
  if (values.length === 0) next.delete(place);
  else next.set(place, values);
  shown.set(next);
}
