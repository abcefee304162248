import type { ButtonHTMLAttributes, ComponentProps, ReactNode } from 'react';
import { classNames } from '../lib/class-names.ts';
import { Icon, type IconName } from './icon.tsx';
import { Spinner } from './spinner.tsx';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary` once per screen; `quiet` has no border. */
  look?: 'primary' | 'plain' | 'quiet' | 'danger';
  icon?: IconName;
  /** Shows a spinner and ignores clicks while the work is under way. It keeps the focus, which a disabled button loses. */
  busy?: boolean;
  children: ReactNode;
}

export function Button({ look = 'plain', icon, busy = false, children, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classNames('button', `button-${look}`, className)}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
    >
      {busy ? <Spinner size={16} /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<'button'> {
  icon: IconName;
  /** What a screen reader says and the tooltip shows. */
  label: string;
}

export function IconButton({ icon, label, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classNames('icon-button', className)}
      aria-label={label}
      title={label}
    >
      <Icon name={icon} />
    </button>
  );
}
