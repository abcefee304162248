/**
 * Marks something as in use by this tab, until the result is called, the signal ends it or the tab is closed. Browsers have
 * such locks only on https and localhost. Without them, two tabs may do the same work twice.
 */
export function holdInTab(name: string, signal?: AbortSignal): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  navigator.locks?.request(name, () => promise);
  signal?.addEventListener('abort', () => resolve());
  return resolve;
}

/** Runs `work` when no tab uses it any longer, in one tab at a time. Where browsers have no such locks, at once. */
export async function whenFreeInTabs(name: string, work = async () => {}): Promise<void> {
  await (navigator.locks ? navigator.locks.request(name, work) : work());
}

export const isFreeInTabs = async (name: string): Promise<boolean> =>
  (await navigator.locks?.request(name, { ifAvailable: true }, async (lock) => lock !== null)) ?? true;

/**
 * Something that one tab has at a time. Undefined while another tab has it. `onLost` is called when another tab steals it. Where
 * browsers have no locks, every tab gets it.
 */
export function claimInTabs(
  name: string,
  steal: boolean,
  onLost: () => void,
): Promise<(() => void) | undefined> {
  if (!navigator.locks) return Promise.resolve(() => {});
  const { promise: answer, resolve: answered } = Promise.withResolvers<(() => void) | undefined>();
  const { promise: end, resolve: release } = Promise.withResolvers<void>();
  navigator.locks
    .request(name, steal ? { steal } : { ifAvailable: true }, (lock) => {
      answered(lock ? release : undefined);
      return lock ? end : undefined;
    })
    .catch(onLost);
  return answer;
}
