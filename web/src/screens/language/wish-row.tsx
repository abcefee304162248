import { useQueryClient } from '@tanstack/react-query';
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
  const client = useQueryClient();
  const change = (on: boolean) => changeLanguageSettings(client, { [wish]: on });
  return <SwitchRow on={settings[wish]} change={change} {...rest} />;
}
