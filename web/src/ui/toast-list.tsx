import * as Radix from '@radix-ui/react-toast';
import { commonStrings } from '../strings/common.ts';
import { IconButton } from './button.tsx';

export interface Toast {
  id: number;
  title: string;
  detail?: string;
  tone: 'plain' | 'danger';
  durationMs: number;
  action?: { label: string; run(): void };
  /** Runs when the toast times out or is dismissed, but not when its action was chosen. */
  onGone?(): void;
}

interface Props {
  toasts: readonly Toast[];
  onClose(id: number): void;
}

export function ToastList({ toasts, onClose }: Props) {
  return (
    <Radix.Provider label={commonStrings.notifications} swipeDirection="down">
      {toasts.map((one) => (
        <Radix.Root
          key={one.id}
          className={one.tone === 'danger' ? 'toast toast-danger' : 'toast'}
          duration={one.durationMs}
          onOpenChange={(open) => {
            if (open) return;
            onClose(one.id);
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
                onClose(one.id);
                one.action?.run();
              }}
            >
              {one.action.label}
            </button>
          )}
          <Radix.Close asChild>
            <IconButton icon="close" label={commonStrings.dismiss} />
          </Radix.Close>
        </Radix.Root>
      ))}
      <Radix.Viewport className="toasts" />
    </Radix.Provider>
  );
}
