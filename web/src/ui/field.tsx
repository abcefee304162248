import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import { classNames } from '../lib/class-names.ts';

interface Labelled {
  label: string;
  /** Shows the label to screen readers only. */
  labelHidden?: boolean | undefined;
  hint?: ReactNode;
  error?: string | undefined;
}

interface Wiring {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

function Field({
  label,
  labelHidden = false,
  hint,
  error,
  children,
}: Labelled & { children: (wiring: Wiring) => ReactNode }) {
  const id = useId();
  const describedBy = error || hint ? `${id}-about` : undefined;
  return (
    <div className="field">
      <label htmlFor={id} className={labelHidden ? 'visually-hidden' : 'field-label'}>
        {label}
      </label>
      {children({ id, 'aria-describedby': describedBy, 'aria-invalid': error ? true : undefined })}
      {describedBy && (
        <p
          id={describedBy}
          className={error ? 'field-error' : 'field-hint'}
          role={error ? 'alert' : undefined}
        >
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

type Of<Attributes> = Labelled & Omit<Attributes, 'id'>;

export function TextField({
  label,
  labelHidden,
  hint,
  error,
  className,
  ...rest
}: Of<InputHTMLAttributes<HTMLInputElement>>) {
  return (
    <Field label={label} labelHidden={labelHidden} hint={hint} error={error}>
      {(wiring) => <input type="text" {...rest} {...wiring} className={classNames('input', className)} />}
    </Field>
  );
}

export function TextArea({
  label,
  labelHidden,
  hint,
  error,
  className,
  ...rest
}: Of<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  return (
    <Field label={label} labelHidden={labelHidden} hint={hint} error={error}>
      {(wiring) => <textarea rows={4} {...rest} {...wiring} className={classNames('input', className)} />}
    </Field>
  );
}

/** The browser's own select: it works by keyboard, by screen reader and on phones. */
export function SelectField({
  label,
  labelHidden,
  hint,
  error,
  className,
  children,
  ...rest
}: Of<SelectHTMLAttributes<HTMLSelectElement>>) {
  return (
    <Field label={label} labelHidden={labelHidden} hint={hint} error={error}>
      {(wiring) => (
        <select {...rest} {...wiring} className={classNames('input', 'select', className)}>
          {children}
        </select>
      )}
    </Field>
  );
}

interface CheckboxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'type'> {
  label: ReactNode;
  hint?: ReactNode;
}

export function Checkbox({ label, hint, ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <div className="checkbox">
      <input {...rest} type="checkbox" id={id} aria-describedby={hint ? `${id}-about` : undefined} />
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p id={`${id}-about`} className="field-hint">
          {hint}
        </p>
      )}
    </div>
  );
}
