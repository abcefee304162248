import * as Dropdown from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** Not modal: a modal menu injects a `<style>` element, which our Content-Security-Policy forbids. */
export function OpenMenu({ trigger, children }: { trigger: ReactNode; children: ReactNode }) {
  return (
    <Dropdown.Root modal={false} defaultOpen>
      <Dropdown.Trigger asChild>{trigger}</Dropdown.Trigger>
      <Dropdown.Portal>
        <Dropdown.Content className="menu" align="end" sideOffset={6} collisionPadding={12}>
          {children}
        </Dropdown.Content>
      </Dropdown.Portal>
    </Dropdown.Root>
  );
}

interface MenuItemProps {
  icon?: IconName;
  danger?: boolean;
  disabled?: boolean;
  onSelect(): void;
  children: ReactNode;
}

export function MenuItem({ icon, danger = false, disabled = false, onSelect, children }: MenuItemProps) {
  return (
    <Dropdown.Item
      className={danger ? 'menu-item menu-item-danger' : 'menu-item'}
      disabled={disabled}
      onSelect={onSelect}
    >
      {icon && <Icon name={icon} />}
      {children}
    </Dropdown.Item>
  );
}

interface MenuChoiceProps {
  label: string;
  value: string;
  onChange(value: string): void;
  choices: readonly { value: string; label: string; icon?: IconName }[];
}

/** A choice of one; the chosen item has a tick. */
export function MenuChoice({ label, value, onChange, choices }: MenuChoiceProps) {
  return (
    <Dropdown.RadioGroup value={value} onValueChange={onChange} aria-label={label}>
      <Dropdown.Label className="menu-label">{label}</Dropdown.Label>
      {choices.map((choice) => (
        <Dropdown.RadioItem key={choice.value} value={choice.value} className="menu-item">
          <Icon name={choice.value === value ? 'check' : (choice.icon ?? 'folder')} />
          <span className="truncate">{choice.label}</span>
        </Dropdown.RadioItem>
      ))}
    </Dropdown.RadioGroup>
  );
}

export const MenuGroup = ({ label, children }: { label: string; children: ReactNode }) => (
  <Dropdown.Group aria-label={label}>
    <Dropdown.Label className="menu-label">{label}</Dropdown.Label>
    {children}
  </Dropdown.Group>
);

export const MenuLine = () => <Dropdown.Separator className="menu-line" />;
