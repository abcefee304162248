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

type Refusals = Readonly<Record<string, string>>;

interface Labelled {
  label: string;
  /** Shows the label to screen readers only. */
  labelHidden?: boolean | undefined;
  hint?: ReactNode;
  error?: string | undefined;
  /** As the API calls it: a form then says what the server says of it here. */
  name?: string | undefined;
  /** What a form says here when the server refuses it with such a code. */
  refusals?: Refusals | undefined;
  className?: string | undefined;
}

export interface Sent {
  /** Why it was refused. */
  error: Error | null;
  /** Its fields, by their names. */
  fields: Map<string, Refusals | undefined>;
}

/** The form that the fields are in. */
export const SentForm = createContext<Sent>({ error: null, fields: new Map() });

export const isAbout = (error: Error | null, name: string, refusals: Refusals = {}): error is StenoError =>
  error instanceof StenoError && (error.param === name || error.code in refusals);

/** "url must start with https://" is said with the word that people see at the field. */
function refusalOf({ error }: Sent, { name, label, refusals }: Labelled): string | undefined {
  if (name === undefined || !isAbout(error, name, refusals)) return undefined;
  const { message, code } = error;
  if (refusals?.[code]) return refusals[code];
  return message.startsWith(`${name} `) ? label + message.slice(name.length) : explain(error).detail;
}

interface FieldProps extends Labelled {
  look: string;
  children(wiring: object): ReactNode;
}

/** The label, what people fill in, and what is said of it. */
function Field(props: FieldProps) {
  const { label, labelHidden, hint, error, name, refusals, className, look, children } = props;
  const id = useId();
  const form = useContext(SentForm);
  useEffect(() => {
    if (name === undefined) return;
    form.fields.set(name, refusals);
    return () => void form.fields.delete(name);
  }, [form.fields, name, refusals]);
  const wrong = error ?? refusalOf(form, props);
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
  const {
    label: _label,
    labelHidden: _hidden,
    hint: _hint,
    error: _error,
    refusals: _refusals,
    ...attributes
  } = props;
  return attributes;
}

export const TextField = (props: Of<InputHTMLAttributes<HTMLInputElement>>) => (
  <Field {...props} look="input">
    {(wiring) => <input type="text" {...attributesOf(props)} {...wiring} />}
  </Field>
);

interface SearchProps {
  label: string;
  value: string;
  maxLength?: number;
  onType(text: string): void;
}

export const SearchField = ({ onType, ...props }: SearchProps) => (
  <TextField
    {...props}
    type="search"
    labelHidden
    placeholder={props.label}
    onChange={(event) => onType(event.target.value)}
  />
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

interface CheckboxesProps<Value extends string> {
  legend: string;
  options: readonly { value: Value; label: ReactNode }[];
  chosen: readonly Value[];
  onChoose(chosen: Value[]): void;
  /** No more than this many can be chosen. */
  most?: number;
  /** What is wrong with the choice. */
  error?: string | false;
  /** Above the boxes. */
  children?: ReactNode;
}

/** Any number of what there is to choose from. */
export function Checkboxes<Value extends string>(props: CheckboxesProps<Value>) {
  const { legend, options, chosen, onChoose, most = Infinity, error, children } = props;
  return (
    <fieldset className="group">
      <legend className="field-label">{legend}</legend>
      {children}
      {options.map(({ value, label }) => {
        const isChosen = chosen.includes(value);
        return (
          <Checkbox
            key={value}
            label={label}
            checked={isChosen}
            disabled={!isChosen && chosen.length >= most}
            onChange={() => onChoose(isChosen ? chosen.filter((one) => one !== value) : [...chosen, value])}
          />
        );
      })}
      {error && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
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
