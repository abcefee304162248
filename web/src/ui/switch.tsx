import type { InputHTMLAttributes } from 'react';

interface SwitchProps
  extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'role' | 'checked' | 'onChange'> {
  /** Stands beside it; without one, point a label at its `id`. */
  label?: string;
  checked: boolean;
  /** The change is being saved: it keeps the focus, and takes no second change. */
  busy?: boolean;
  onChange(checked: boolean): void;
}

/** For what counts at once; a `Checkbox` counts when its form is sent. */
export function Switch({ label, busy = false, onChange, ...rest }: SwitchProps) {
  const input = (
    <input
      {...rest}
      type="checkbox"
      // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says itself whether it is checked
      role="switch"
      aria-busy={busy || undefined}
      onChange={(event) => !busy && onChange(event.target.checked)}
    />
  );
  if (label === undefined) return <span className="switch">{input}</span>;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is in `input`
    <label className="switch">
      {label}
      {input}
    </label>
  );
}
