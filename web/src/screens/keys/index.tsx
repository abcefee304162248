import { maxKeys, personalScopes } from '../../api/limits.ts';
import { useKeyPart } from '../../features/keys/use-key-part.tsx';
import { Webhooks } from '../../features/webhooks/webhooks.tsx';
import { useCommands } from '../../lib/commands.ts';
import { createKey, refreshKeys, revokeKey, rotateKey, useKeys } from '../../resources/keys.ts';
import { keyStrings as texts } from '../../strings/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';
import { Assistants } from './assistants.tsx';

const presets = {
  readOnly: personalScopes.filter((scope) => scope.endsWith(':read')),
  assistant: ['notes:read', 'notes:write', 'transcriptions:read', 'usage:read'],
  // The language model costs the operator; a key has it only if it is ticked.
  everything: personalScopes.filter((scope) => scope !== 'llm:use'),
} satisfies Record<string, readonly (typeof personalScopes)[number][]>;

export function Screen() {
  const keys = useKeys();
  const count = keys.data?.length ?? 0;
  const isFull = count >= maxKeys;
  const [part, open] = useKeyPart({
    place: 'key',
    title: texts.create,
    keys,
    empty: texts.empty,
    foot: <p className="muted">{texts.count(count, maxKeys)}</p>,
    scopes: personalScopes,
    presets,
    create: createKey,
    revoke: revokeKey,
    rotate: rotateKey,
    refresh: refreshKeys,
  });
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
      {isFull && <Notice>{texts.limitReached(maxKeys)}</Notice>}
      {part}
      <Assistants />
      <Webhooks />
    </Page>
  );
}
