import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { changeLanguageSettings, type LanguageSettings } from '../../resources/language.ts';
import { Row } from '../../ui/page.tsx';
import { Switch } from '../../ui/switch.tsx';
import { toastError } from '../../ui/toast.tsx';

interface Props {
  wish: 'allowed' | 'titles';
  settings: LanguageSettings;
  detail?: string;
  children: ReactNode;
}

/** A wish that is on or off. */
export function WishRow({ wish, settings, detail, children }: Props) {
  const client = useQueryClient();
  const id = useId();
  const save = useMutation({
    mutationFn: (next: boolean) => changeLanguageSettings(client, { [wish]: next }),
    onError: toastError,
  });
  return (
    <Row
      detail={detail && <span id={`${id}-about`}>{detail}</span>}
      actions={
        <Switch
          id={id}
          aria-describedby={detail ? `${id}-about` : undefined}
          checked={save.isPending ? save.variables : settings[wish]}
          busy={save.isPending}
          onChange={(next) => save.mutate(next)}
        />
      }
    >
      <label htmlFor={id}>{children}</label>
    </Row>
  );
}
