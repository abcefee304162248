import type { InputHTMLAttributes } from 'react';

interface SwitchProps
  extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'role' | 'checked' | 'onChange'> {
  /** Shown beside the switch. Without it, give the switch an `id` and point a label at that. */
  label?: string;
  checked: boolean;
  /** The change is being saved: the switch keeps the focus and ignores clicks. */
  busy?: boolean;
  onChange(checked: boolean): void;
}

/** Takes effect at once; a `Checkbox` takes effect when its form is submitted. */
export function Switch({ label, busy = false, onChange, ...rest }: SwitchProps) {
  const input = (
    <input
      {...rest}
      type="checkbox"
      // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox already reports its state
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
