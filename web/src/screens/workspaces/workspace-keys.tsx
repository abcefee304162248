import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { workspaceScopes } from '../../api/limits.ts';
import { type KeyDraft, KeyForm } from '../../features/keys/key-form.tsx';
import { KeyList } from '../../features/keys/key-list.tsx';
import { type IssuedKey, NewKey } from '../../features/keys/new-key.tsx';
import { useShownOnce } from '../../lib/shown-once.ts';
import {
  createWorkspaceKey,
  refreshWorkspaceKeys,
  revokeWorkspaceKey,
  rotateWorkspaceKey,
  useWorkspaceKeys,
} from '../../resources/workspace-keys.ts';
import { keyStrings } from '../../strings/keys.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, ErrorState, Notice, Skeleton } from '../../ui/states.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import styles from './workspaces.module.css';

type WorkspaceScope = (typeof workspaceScopes)[number];

const texts = workspaceStrings;
const reading = ['workspace:notes:read', 'workspace:folders:read', 'workspace:transcriptions:read'] as const;
const presets = {
  readOnly: reading,
  assistant: [...reading, 'workspace:notes:write'],
  everything: ['workspace:*'],
} satisfies Record<string, readonly WorkspaceScope[]>;

export function WorkspaceKeys({ id, isAdmin }: { id: string; isAdmin: boolean }) {
  const client = useQueryClient();
  const [creating, setCreating] = useState(false);
  const [issued, setIssued] = useShownOnce<IssuedKey>(`key ${id}`);
  const keys = useWorkspaceKeys(id, isAdmin);
  const create = useMutation({
    mutationFn: (draft: KeyDraft<WorkspaceScope>) => createWorkspaceKey(id, draft),
    onSuccess(made) {
      setIssued(made);
      setCreating(false);
      return refreshWorkspaceKeys(client, id);
    },
  });
  const revoke = useMutation({
    mutationFn: (keyId: string) => revokeWorkspaceKey(id, keyId),
    onSuccess() {
      toast({ title: keyStrings.revoked });
      return refreshWorkspaceKeys(client, id);
    },
    onError: toastError,
  });
  const rotate = useMutation({
    mutationFn: (change: { id: string; graceHours: number }) =>
      rotateWorkspaceKey(id, change.id, change.graceHours),
    onSuccess(made) {
      setIssued(made);
      return refreshWorkspaceKeys(client, id);
    },
    onError: toastError,
  });
  function open() {
    create.reset();
    setCreating(true);
  }

  if (!isAdmin) return <Notice>{texts.onlyAdmins}</Notice>;
  if (keys.isPending) return <Skeleton lines={4} />;
  if (keys.isError) return <ErrorState error={keys.error} onRetry={keys.refetch} />;
  return (
    <div className={styles.part}>
      <div className={styles.partActions}>
        <Button look="primary" icon="plus" onClick={open}>
          {texts.keys.create}
        </Button>
      </div>
      {issued && <NewKey key={issued.key} issued={issued} onDone={() => setIssued(undefined)} />}
      {keys.data.length === 0 ? (
        <EmptyState icon="key" {...texts.keys.empty} />
      ) : (
        <KeyList
          keys={keys.data}
          busy={revoke.isPending || rotate.isPending}
          onRevoke={revoke.mutateAsync}
          onRotate={rotate.mutateAsync}
        />
      )}
      {creating && (
        <KeyForm
          open
          onClose={() => setCreating(false)}
          title={texts.keys.create}
          scopes={workspaceScopes}
          presets={presets}
          busy={create.isPending}
          error={create.error}
          onCreate={create.mutate}
        />
      )}
    </div>
  );
}
