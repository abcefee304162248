import {
  type ChangeEvent,
  createContext,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useEffect,
  useId,
} from 'react';
import { explain, StenoError } from '../api/errors.ts';
import { classNames } from '../lib/class-names.ts';

interface Labelled {
  label: string;
  /** Shows the label to screen readers only. */
  labelHidden?: boolean | undefined;
  hint?: ReactNode;
  error?: string | undefined;
  /** As the API calls it: a form then says what the server says of it here. */
  name?: string | undefined;
  className?: string | undefined;
}

interface Sent {
  /** Why it was refused. */
  error: Error | null;
  /** The names of its fields. */
  names: Set<string>;
}

/** The form that the fields are in. */
export const SentForm = createContext<Sent>({ error: null, names: new Set() });

/** "url must start with https://" is said with the word that people see at the field. */
function refusalOf({ error }: Sent, name: string | undefined, label: string): string | undefined {
  if (!(error instanceof StenoError) || name === undefined || error.param !== name) return undefined;
  const { message } = error;
  return message.startsWith(`${name} `) ? label + message.slice(name.length) : explain(error).detail;
}

interface FieldProps extends Labelled {
  look: string;
  children(wiring: object): ReactNode;
}

/** The label, what people fill in, and what is said of it. */
function Field({ label, labelHidden, hint, error, name, className, look, children }: FieldProps) {
  const id = useId();
  const form = useContext(SentForm);
  useEffect(() => {
    if (name !== undefined) form.names.add(name);
  }, [form.names, name]);
  const wrong = error ?? refusalOf(form, name, label);
  const describedBy = wrong || hint ? `${id}-about` : undefined;
  return (
    <div className="field">
      <label htmlFor={id} className={labelHidden ? 'visually-hidden' : 'field-label'}>
        {label}
      </label>
      {children({
        id,
        name,
        className: classNames(look, className),
        'aria-describedby': describedBy,
        'aria-invalid': wrong ? true : undefined,
      })}
      {describedBy && (
        <p
          id={describedBy}
          className={wrong ? 'field-error' : 'field-hint'}
          role={wrong ? 'alert' : undefined}
        >
          {wrong ?? hint}
        </p>
      )}
    </div>
  );
}

type Of<Attributes> = Labelled & Omit<Attributes, 'id' | keyof Labelled>;

/** What is for the label goes no further. */
function attributesOf<Props extends Labelled>(props: Props) {
  const { label: _label, labelHidden: _hidden, hint: _hint, error: _error, ...attributes } = props;
  return attributes;
}

export const TextField = (props: Of<InputHTMLAttributes<HTMLInputElement>>) => (
  <Field {...props} look="input">
    {(wiring) => <input type="text" {...attributesOf(props)} {...wiring} />}
  </Field>
);

export const TextArea = (props: Of<TextareaHTMLAttributes<HTMLTextAreaElement>>) => (
  <Field {...props} look="input">
    {(wiring) => <textarea rows={4} {...attributesOf(props)} {...wiring} />}
  </Field>
);

/** By what is chosen, or as a list of what has a name. */
type Options<Value extends string> =
  | Readonly<Partial<Record<Value, string>>>
  | readonly { id: Value; name: string }[];

interface SelectProps<Value extends string>
  extends Of<Omit<SelectHTMLAttributes<HTMLSelectElement>, 'value' | 'onChange'>> {
  value: Value;
  options: Options<NoInfer<Value>>;
  onChoose(value: NoInfer<Value>): void;
  /** Groups of more options. */
  children?: ReactNode;
}

/** The browser's own select: it works by keyboard, by screen reader and on phones. */
export function SelectField<Value extends string>(props: SelectProps<Value>) {
  const { options, onChoose, children, ...attributes } = attributesOf(props);
  const all: readonly { id: string; name: string }[] = Array.isArray(options)
    ? options
    : Object.entries(options as Readonly<Record<string, string>>).map(([id, name]) => ({ id, name }));
  return (
    <Field {...props} look="input select">
      {(wiring) => (
        <select
          {...attributes}
          {...wiring}
          // The options are all that there is to choose from.
          onChange={(event: ChangeEvent<HTMLSelectElement>) => onChoose(event.target.value as Value)}
        >
          {all.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
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
