import * as Radix from '@radix-ui/react-toast';
import { explain } from '../api/errors.ts';
import { createStore, useStore } from '../lib/store.ts';
import { strings } from '../strings.ts';
import { IconButton } from './button.tsx';

interface Toast {
  id: number;
  title: string;
  detail?: string;
  tone: 'plain' | 'danger';
  durationMs: number;
  action?: { label: string; run(): void };
  /** Runs when the toast times out or is dismissed, but not when its action was chosen. */
  onGone?(): void;
}

type Given = Pick<Toast, 'title'> & Partial<Omit<Toast, 'id' | 'title'>>;

const usualDurationMs = 5_000;
const toasts = createStore<readonly Toast[]>([]);
let nextId = 1;

const close = (id: number) => toasts.set(toasts.get().filter((one) => one.id !== id));

/** Shows a short message: `toast({ title: 'Copied' })`. Works anywhere, also outside React. */
export function toast(given: Given): void {
  const id = nextId++;
  toasts.set([...toasts.get(), { tone: 'plain', durationMs: usualDurationMs, ...given, id }]);
}

export function toastError(error: unknown): void {
  toast({ ...explain(error), tone: 'danger', durationMs: 8_000 });
}

/** Rendered once, in `App`. */
export function Toasts() {
  const shown = useStore(toasts);
  return (
    <Radix.Provider label={strings.common.notifications} swipeDirection="down">
      {shown.map((one) => (
        <Radix.Root
          key={one.id}
          className={one.tone === 'danger' ? 'toast toast-danger' : 'toast'}
          duration={one.durationMs}
          onOpenChange={(open) => {
            if (open) return;
            close(one.id);
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
                close(one.id);
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
