import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { keyOf } from '../lib/key-of.ts';
import { useUnsaved } from '../lib/unsaved.ts';
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
  /** Makes the dialog a form, so that Enter submits it. With changes, Esc, the cross, a click beside and links ask first. */
  onSubmit?(form: HTMLFormElement): void;
  /** True once the form is sent, so that what is in it is no longer lost. */
  saved?: RefObject<boolean>;
}

const firstStop = '.dialog-body :is(input, select, textarea, a, button), .dialog-foot button';

/** What is in the fields now. */
const valuesIn = (dialog: HTMLElement | null): string =>
  JSON.stringify(
    [...(dialog?.querySelectorAll<HTMLInputElement>('form :is(input, select, textarea)') ?? [])].map(
      ({ type, checked, value }) => (type === 'checkbox' || type === 'radio' ? checked : value),
    ),
  );

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
  saved,
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const before = useRef('');
  const pressedBeside = useRef(false);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (open && !dialog?.open) {
      dialog?.showModal();
      before.current = valuesIn(dialog);
      // By default the browser focuses the first button, which closes the dialog.
      (dialog?.querySelector<HTMLElement>(firstStop) ?? dialog)?.focus();
    }
    if (!open && dialog?.open) dialog.close();
  }, [open]);
  // One that is taken off the page gives no focus back; one that is closed before does.
  useLayoutEffect(() => {
    const dialog = ref.current;
    return () => dialog?.close();
  }, []);
  const isChanged = () =>
    open && onSubmit !== undefined && !saved?.current && valuesIn(ref.current) !== before.current;
  const [question, leave] = useDiscard(isChanged, onClose);

  /** A browser may close it all the same, as Chrome does when Esc is pressed twice. */
  function closed() {
    if (isChanged()) ref.current?.showModal();
    leave();
  }
  function press(event: KeyboardEvent) {
    if (!event.defaultPrevented) onEscape(event, leave);
  }
  /** The back gesture of a phone. A chooser of files that is closed says so too. */
  function cancel(event: SyntheticEvent) {
    if (event.target !== event.currentTarget) return;
    event.preventDefault();
    leave();
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    onSubmit?.(event.currentTarget);
  }

  const body = (
    <>
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label={commonStrings.close} onClick={leave} />
      </header>
      {description && (
        <p className="dialog-description" id={`${id}-about`}>
          {description}
        </p>
      )}
      {children && <div className="dialog-body">{children}</div>}
      {footer && <footer className="dialog-foot">{footer}</footer>}
    </>
  );
  return (
    <>
      <dialog
        ref={ref}
        tabIndex={-1}
        className={wide ? 'dialog dialog-wide' : 'dialog'}
        aria-labelledby={id}
        aria-describedby={description ? `${id}-about` : undefined}
        onClose={closed}
        onCancel={cancel}
        onKeyDown={press}
        // A selection that is drawn out of the dialog ends beside it, too.
        onPointerDown={(event) => {
          pressedBeside.current = event.target === event.currentTarget;
        }}
        onClick={(event) => event.target === event.currentTarget && pressedBeside.current && leave()}
      >
        {open && (onSubmit ? <form onSubmit={submit}>{body}</form> : <div>{body}</div>)}
      </dialog>
      {question}
    </>
  );
}

interface ConfirmProps {
  open: boolean;
  onClose(): void;
  title: string;
  description: ReactNode;
  /** What the button does, as a verb: "Revoke key". */
  action: string;
  cancel?: string;
  busy?: boolean;
  onConfirm(): void;
  children?: ReactNode;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ action, cancel, busy = false, onConfirm, children, ...rest }: ConfirmProps) {
  return (
    <Dialog
      {...rest}
      footer={
        <>
          <Button onClick={rest.onClose}>{cancel ?? commonStrings.cancel}</Button>
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

const { title, detail, discard, stay } = commonStrings.unsaved;

/** Before something that was typed is thrown away. */
export const DiscardDialog = (props: Pick<ConfirmProps, 'onClose' | 'onConfirm'>) => (
  <ConfirmDialog {...props} open title={title} description={detail} action={discard} cancel={stay} />
);

/** `const [question, leave] = useDiscard(isChanged, onLeave)`: `leave` asks before it throws away what was typed. */
export function useDiscard(isChanged: () => boolean, onLeave: () => void): [ReactNode, () => void] {
  /** How often it was asked; 0 while no question is open. */
  const [asked, setAsked] = useState(0);
  useUnsaved(isChanged);
  const question = asked > 0 && (
    <DiscardDialog
      // A new one is above the form, which may have been opened again.
      key={asked}
      onClose={() => setAsked(0)}
      onConfirm={() => {
        setAsked(0);
        onLeave();
      }}
    />
  );
  return [question, () => (isChanged() ? setAsked(asked + 1) : onLeave())];
}

/** For a form outside a dialog. The browser would close the question by the same Esc. */
export function onEscape(event: KeyboardEvent, leave: () => void): void {
  if (keyOf(event) !== 'Escape') return;
  event.preventDefault();
  leave();
}
