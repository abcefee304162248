import { type ReactNode, useId } from 'react';
import { Row } from './page.tsx';
import { Switch } from './switch.tsx';
import { useAction } from './use-action.ts';

interface Props {
  on: boolean;
  detail?: string | undefined;
  change(on: boolean): Promise<unknown>;
  children: ReactNode;
}

/** Something that is on or off, and takes effect at once. */
export function SwitchRow({ on, detail, change, children }: Props) {
  const id = useId();
  const save = useAction(change);
  return (
    <Row
      detail={detail && <span id={`${id}-about`}>{detail}</span>}
      actions={
        <Switch
          id={id}
          aria-describedby={detail ? `${id}-about` : undefined}
          checked={save.isPending ? save.variables : on}
          busy={save.isPending}
          onChange={(next) => save.mutate(next)}
        />
      }
    >
      <label htmlFor={id}>{children}</label>
    </Row>
  );
}
