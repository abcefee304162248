import { explain } from '../api/errors.ts';
import { createStore, useStore } from '../lib/store.ts';
import { later } from './later.tsx';
import type { Toast } from './toast-list.tsx';

type Given = Pick<Toast, 'title'> & Partial<Omit<Toast, 'id' | 'title'>>;

const usualDurationMs = 5_000;
const toasts = createStore<readonly Toast[]>([]);
let nextId = 1;

const close = (id: number) => toasts.set(toasts.get().filter((one) => one.id !== id));

/** Shows a short message: `toast({ title: 'Copied' })`. Works anywhere, also outside React. */
export function toast(given: Given) {
  const id = nextId++;
  toasts.set([...toasts.get(), { tone: 'plain', durationMs: usualDurationMs, ...given, id }]);
  return {
    /** Nothing happens if it is gone. */
    change: (changes: Partial<Given>) =>
      toasts.set(toasts.get().map((one) => (one.id === id ? { ...one, ...changes } : one))),
    close: () => close(id),
  };
}

export function toastError(error: unknown): void {
  toast({ ...explain(error), tone: 'danger', durationMs: 8_000 });
}

const load = () => import('./toast-list.tsx');
const ToastList = later(async () => (await load()).ToastList);

/** So that a message can be shown when the server is away. */
export const preloadToasts = () => load().catch(() => {});

/** Rendered once, in `App`. Its code is loaded with the first message. */
export function Toasts() {
  const shown = useStore(toasts);
  return shown.length > 0 && <ToastList toasts={shown} onClose={close} />;
}
