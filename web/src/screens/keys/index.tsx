import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { maxKeys, personalScopes } from '../../api/limits.ts';
import { KeyForm } from '../../features/keys/key-form.tsx';
import { KeyList } from '../../features/keys/key-list.tsx';
import { type IssuedKey, NewKey } from '../../features/keys/new-key.tsx';
import { Webhooks } from '../../features/webhooks/webhooks.tsx';
import { useCommands } from '../../lib/commands.ts';
import { useShownOnce } from '../../lib/shown-once.ts';
import { createKey, refreshKeys, revokeKey, rotateKey, useKeys } from '../../resources/keys.ts';
import { keyStrings } from '../../strings/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Notice } from '../../ui/states.tsx';
import { Assistants } from './assistants.tsx';

type PersonalScope = (typeof personalScopes)[number];

const texts = keyStrings;
const presets = {
  readOnly: personalScopes.filter((scope) => scope.endsWith(':read')),
  assistant: ['notes:read', 'notes:write', 'transcriptions:read', 'usage:read'],
  // The language model costs the operator; a key has it only if it is ticked.
  everything: personalScopes.filter((scope) => scope !== 'llm:use'),
} satisfies Record<string, readonly PersonalScope[]>;

export function Screen() {
  const client = useQueryClient();
  const [creating, setCreating] = useState(false);
  const issued = useShownOnce<IssuedKey>('key');
  const list = useKeys();
  const refresh = () => refreshKeys(client);
  function made(key: IssuedKey) {
    issued.show(key);
    return refresh();
  }
  const keys = list.data ?? [];
  const isFull = keys.length >= maxKeys;
  const open = () => setCreating(true);
  useCommands(isFull ? [] : [{ label: texts.create, run: open }]);

  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      actions={
        <Button look="primary" icon="plus" disabled={isFull} onClick={open}>
          {texts.create}
        </Button>
      }
    >
      {issued.values.map((one) => (
        <NewKey key={one.key} issued={one} onDone={() => issued.dismiss(one)} />
      ))}
      {isFull && <Notice>{texts.limitReached(maxKeys)}</Notice>}
      <Loaded from={list} lines={4}>
        {() =>
          keys.length === 0 ? (
            <EmptyState icon="key" {...texts.empty} />
          ) : (
            <div className="section">
              <KeyList
                keys={keys}
                revoke={(id) => revokeKey(id).then(refresh)}
                rotate={(id, graceHours) => rotateKey({ id, graceHours })}
                onRotated={(key, old) => {
                  // What was just made and is replaced already is not worth keeping.
                  for (const one of issued.values)
                    if (one.key.startsWith(old.key_prefix)) issued.dismiss(one);
                  return made(key);
                }}
              />
              <p className="muted">{texts.count(keys.length, maxKeys)}</p>
            </div>
          )
        }
      </Loaded>
      <Assistants />
      <Webhooks />
      {creating && (
        <KeyForm
          title={texts.create}
          scopes={personalScopes}
          presets={presets}
          create={createKey}
          onCreated={made}
          onClose={() => setCreating(false)}
        />
      )}
    </Page>
  );
}
