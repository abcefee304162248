import { type ComponentProps, type ReactNode, useState } from 'react';
import { useShownOnce } from '../../lib/shown-once.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { KeyForm } from './key-form.tsx';
import { KeyList } from './key-list.tsx';
import { type IssuedKey, NewKey } from './new-key.tsx';

type Form<Scope extends string> = ComponentProps<typeof KeyForm<Scope, IssuedKey>>;
type List = ComponentProps<typeof KeyList<IssuedKey>>;

interface Part<Scope extends string>
  extends Pick<Form<Scope>, 'title' | 'scopes' | 'presets' | 'create'>,
    Pick<List, 'revoke' | 'rotate'> {
  /** Under which what is shown once is kept in this page. */
  place: string;
  keys: ComponentProps<typeof Loaded<List['keys']>>['from'];
  empty: { title: string; detail: string };
  /** Below the list. */
  foot?: ReactNode;
  refresh(): Promise<unknown>;
}

/** Keys of a person or a workspace: `[part, create]`. */
export function useKeyPart<Scope extends string>(of: Part<Scope>): [part: ReactNode, create: () => void] {
  const { place, keys, empty, foot, refresh, revoke, rotate, ...form } = of;
  const [creating, setCreating] = useState(false);
  const issued = useShownOnce<IssuedKey>(place);
  function made(key: IssuedKey) {
    issued.show(key);
    return refresh();
  }
  const part = (
    <>
      {issued.values.map((one) => (
        <NewKey key={one.key} issued={one} onDone={() => issued.dismiss(one)} />
      ))}
      <Loaded from={keys} lines={4}>
        {(known) =>
          known.length === 0 ? (
            <EmptyState icon="key" {...empty} />
          ) : (
            <div className="section">
              <KeyList
                keys={known}
                revoke={(id) => revoke(id).then(refresh)}
                rotate={rotate}
                onRotated={(key, old) => {
                  // What was just made and is replaced already is not worth keeping.
                  for (const one of issued.values)
                    if (one.key.startsWith(old.key_prefix)) issued.dismiss(one);
                  return made(key);
                }}
              />
              {foot}
            </div>
          )
        }
      </Loaded>
      {creating && <KeyForm {...form} onCreated={made} onClose={() => setCreating(false)} />}
    </>
  );
  return [part, () => setCreating(true)];
}
