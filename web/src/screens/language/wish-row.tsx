import type { ReactNode } from 'react';
import { changeLanguageSettings, type LanguageSettings } from '../../resources/language.ts';
import { SwitchRow } from '../../ui/switch-row.tsx';

interface Props {
  wish: 'allowed' | 'titles';
  settings: LanguageSettings;
  detail?: string;
  children: ReactNode;
}

export function WishRow({ wish, settings, ...rest }: Props) {
  const change = (on: boolean) => changeLanguageSettings({ [wish]: on });
  return <SwitchRow on={settings[wish]} change={change} {...rest} />;
}
