import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { strings } from '../strings.ts';
import { Button, IconButton } from './button.tsx';

interface DialogProps {
  open: boolean;
  onClose(): void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, the most likely one last. */
  footer?: ReactNode;
  /** Makes the whole a form: Enter submits. */
  onSubmit?(): void;
}

const firstStop = '.dialog-body :is(input, select, textarea, a, button), .dialog-foot button';

/**
 * The browser's own modal dialog: it traps the focus, gives it back and closes on Esc. Radix' dialog injects a
 * `<style>` element to stop the page from scrolling, which our Content-Security-Policy forbids.
 */
export function Dialog({ open, onClose, title, description, children, footer, onSubmit }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (open && !dialog?.open) {
      dialog?.showModal();
      // Left alone the browser takes the first button, which is the one that closes.
      dialog?.querySelector<HTMLElement>(firstStop)?.focus();
    }
    if (!open && dialog?.open) dialog.close();
  }, [open]);

  function submit(event: FormEvent) {
    event.preventDefault();
    onSubmit?.();
  }

  const body = (
    <>
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label={strings.common.close} onClick={onClose} />
      </header>
      {description && <p className="dialog-description">{description}</p>}
      {children && <div className="dialog-body">{children}</div>}
      {footer && <footer className="dialog-foot">{footer}</footer>}
    </>
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it; the click is on what lies behind
    <dialog
      ref={ref}
      className="dialog"
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      {open && (onSubmit ? <form onSubmit={submit}>{body}</form> : <div>{body}</div>)}
    </dialog>
  );
}

interface ConfirmProps {
  open: boolean;
  onClose(): void;
  title: string;
  description: ReactNode;
  /** What the button does, as a verb: "Revoke key". */
  action: string;
  busy?: boolean;
  onConfirm(): void;
  children?: ReactNode;
}

/** For what cannot be undone. */
export function ConfirmDialog({ action, busy = false, onConfirm, children, ...rest }: ConfirmProps) {
  return (
    <Dialog
      {...rest}
      footer={
        <>
          <Button onClick={rest.onClose}>{strings.common.cancel}</Button>
          <Button look="danger" busy={busy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
