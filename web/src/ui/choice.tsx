interface ChoiceProps<Value> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string; shortcut?: string }[];
  onChange(value: NoInfer<Value>): void;
}

/** Buttons side by side, exactly one of them pressed. */
export function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <fieldset className="choice" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          aria-keyshortcuts={option.shortcut}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}
