import { useMutation, useQueryClient } from '@tanstack/react-query';
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
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Notice, Skeleton } from '../../ui/states.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
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
  const [issued, setIssued] = useShownOnce<IssuedKey>('key');
  const list = useKeys();
  const create = useMutation({
    mutationFn: createKey,
    onSuccess(made) {
      setIssued(made);
      setCreating(false);
      return refreshKeys(client);
    },
  });
  const revoke = useMutation({
    mutationFn: revokeKey,
    onSuccess() {
      toast({ title: texts.revoked });
      return refreshKeys(client);
    },
    onError: toastError,
  });
  const rotate = useMutation({
    mutationFn: rotateKey,
    onSuccess(made) {
      setIssued(made);
      return refreshKeys(client);
    },
    onError: toastError,
  });
  const keys = list.data ?? [];
  const isFull = keys.length >= maxKeys;
  function open() {
    create.reset();
    setCreating(true);
  }
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
      {issued && <NewKey key={issued.key} issued={issued} onDone={() => setIssued(undefined)} />}
      {isFull && <Notice>{texts.limitReached(maxKeys)}</Notice>}
      {list.isPending && <Skeleton lines={4} />}
      {list.isError && <ErrorState error={list.error} onRetry={list.refetch} />}
      {list.isSuccess &&
        (keys.length === 0 ? (
          <EmptyState icon="key" {...texts.empty} />
        ) : (
          <div className="section">
            <KeyList
              keys={keys}
              busy={revoke.isPending || rotate.isPending}
              onRevoke={revoke.mutateAsync}
              onRotate={rotate.mutateAsync}
            />
            <p className="muted">{texts.count(keys.length, maxKeys)}</p>
          </div>
        ))}
      <Assistants />
      <Webhooks />
      {creating && (
        <KeyForm
          open
          onClose={() => setCreating(false)}
          title={texts.create}
          scopes={personalScopes}
          presets={presets}
          busy={create.isPending}
          error={create.error}
          onCreate={create.mutate}
        />
      )}
    </Page>
  );
}
