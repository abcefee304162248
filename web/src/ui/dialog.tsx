import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { commonStrings } from '../strings/common.ts';
import { Button, IconButton } from './button.tsx';

interface DialogProps {
  open: boolean;
  onClose(): void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, the main one last. */
  footer?: ReactNode;
  /** For text to read. */
  wide?: boolean;
  /** Makes the dialog a form, so that Enter submits it. */
  onSubmit?(): void;
}

const firstStop = '.dialog-body :is(input, select, textarea, a, button), .dialog-foot button';

/**
 * The browser's own modal dialog: it traps the focus, returns it and closes on Esc. Radix' dialog injects a
 * `<style>` element to stop the page from scrolling, which our Content-Security-Policy forbids.
 */
export function Dialog({
  open,
  onClose,
  title,
  description,
  children,
  footer,
  wide = false,
  onSubmit,
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (open && !dialog?.open) {
      dialog?.showModal();
      // By default the browser focuses the first button, which closes the dialog.
      (dialog?.querySelector<HTMLElement>(firstStop) ?? dialog)?.focus();
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
        <IconButton icon="close" label={commonStrings.close} onClick={onClose} />
      </header>
      {description && <p className="dialog-description">{description}</p>}
      {children && <div className="dialog-body">{children}</div>}
      {footer && <footer className="dialog-foot">{footer}</footer>}
    </>
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is on the backdrop; Esc does the same
    <dialog
      ref={ref}
      tabIndex={-1}
      className={wide ? 'dialog dialog-wide' : 'dialog'}
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

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ action, busy = false, onConfirm, children, ...rest }: ConfirmProps) {
  return (
    <Dialog
      {...rest}
      footer={
        <>
          <Button onClick={rest.onClose}>{commonStrings.cancel}</Button>
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
