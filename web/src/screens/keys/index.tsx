import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { useHotkeys } from '../../lib/hotkeys.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Notice, Skeleton } from '../../ui/states.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { type KeyDraft, KeyForm } from './key-form.tsx';
import { KeyList } from './key-list.tsx';
import { type IssuedKey, NewKey } from './new-key.tsx';
import { type PersonalScope, personalScopes, usualPersonalScopes } from './scopes.ts';

const words = strings.keys;
const listKey = ['keys'];
const maxKeys = 5;

export function Screen() {
  const client = useQueryClient();
  const [creating, setCreating] = useState(false);
  const [issued, setIssued] = useState<IssuedKey>();
  const list = useQuery({
    queryKey: listKey,
    queryFn: async () => (await read(api.GET('/api/v1/keys/list'))).data.keys,
  });
  const create = useMutation({
    mutationFn: async (body: KeyDraft<PersonalScope>) =>
      (await read(api.POST('/api/v1/keys/create', { body }))).data,
    onSuccess(made) {
      setIssued(made);
      setCreating(false);
      return client.invalidateQueries({ queryKey: listKey });
    },
  });
  const revoke = useMutation({
    mutationFn: (id: string) => read(api.POST('/api/v1/keys/{id}/revoke', { params: { path: { id } } })),
    onSuccess() {
      toast({ title: words.revoked });
      return client.invalidateQueries({ queryKey: listKey });
    },
    onError: toastError,
  });
  const keys = list.data ?? [];
  const isFull = keys.length >= maxKeys;
  function open() {
    create.reset();
    setCreating(true);
  }
  useHotkeys({ n: () => !isFull && open() });

  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <Button look="primary" icon="plus" disabled={isFull} onClick={open}>
          {words.create}
        </Button>
      }
    >
      {issued && <NewKey issued={issued} onDone={() => setIssued(undefined)} />}
      {isFull && <Notice>{words.limitReached(maxKeys)}</Notice>}
      {list.isPending && <Skeleton lines={4} />}
      {list.isError && <ErrorState error={list.error} onRetry={list.refetch} />}
      {list.isSuccess &&
        (keys.length === 0 ? (
          <EmptyState icon="key" {...words.empty} />
        ) : (
          <div>
            <KeyList keys={keys} busy={revoke.isPending} onRevoke={(id) => revoke.mutateAsync(id)} />
            <p className="muted">{words.count(keys.length, maxKeys)}</p>
          </div>
        ))}
      {creating && (
        <KeyForm
          open
          onClose={() => setCreating(false)}
          title={words.create}
          scopes={personalScopes}
          usualScopes={usualPersonalScopes}
          busy={create.isPending}
          error={create.error}
          onCreate={create.mutate}
        />
      )}
    </Page>
  );
}
