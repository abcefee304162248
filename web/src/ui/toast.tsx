import * as Radix from '@radix-ui/react-toast';
import { useSyncExternalStore } from 'react';
import { explain } from '../api/errors.ts';
import { strings } from '../strings.ts';
import { IconButton } from './button.tsx';

interface Toast {
  id: number;
  title: string;
  detail?: string;
  tone: 'plain' | 'danger';
  durationMs: number;
  action?: { label: string; run(): void };
  /** When it leaves, by itself or by hand, and the action was not taken. */
  onGone?(): void;
}

type Given = Pick<Toast, 'title'> & Partial<Omit<Toast, 'id' | 'title'>>;

const usualDurationMs = 5_000;
let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Says something in passing: `toast({ title: 'Copied' })`. Callable from anywhere. Gives back a way to close it. */
export function toast(given: Given): () => void {
  const id = nextId++;
  change([...toasts, { tone: 'plain', durationMs: usualDurationMs, ...given, id }]);
  return () => change(toasts.filter((one) => one.id !== id));
}

export function toastError(error: unknown): void {
  toast({ ...explain(error), tone: 'danger', durationMs: 8_000 });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Once, in the shell. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const leave = (gone: Toast) => change(toasts.filter((one) => one.id !== gone.id));
  return (
    <Radix.Provider label={strings.common.notifications} swipeDirection="down">
      {shown.map((one) => (
        <Radix.Root
          key={one.id}
          className={one.tone === 'danger' ? 'toast toast-danger' : 'toast'}
          duration={one.durationMs}
          onOpenChange={(open) => {
            if (open) return;
            leave(one);
            one.onGone?.();
          }}
        >
          <div className="toast-text">
            <Radix.Title className="toast-title">{one.title}</Radix.Title>
            {one.detail && <Radix.Description className="toast-detail">{one.detail}</Radix.Description>}
          </div>
          {one.action && (
            <button
              type="button"
              className="toast-action"
              onClick={() => {
                leave(one);
                one.action?.run();
              }}
            >
              {one.action.label}
            </button>
          )}
          <Radix.Close asChild>
            <IconButton icon="close" label={strings.common.dismiss} />
          </Radix.Close>
        </Radix.Root>
      ))}
      <Radix.Viewport className="toasts" />
    </Radix.Provider>
  );
}
