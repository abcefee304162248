import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { archiveSpace, refreshSpaces, type Space, useSpaces } from '../../resources/spaces.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { List, Row } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { SpaceForm } from './space-form.tsx';
import styles from './workspaces.module.css';

const texts = workspaceStrings.spaces;

export function Spaces({ id, isAdmin }: { id: string; isAdmin: boolean }) {
  const spaces = useSpaces(id);
  const [creating, setCreating] = useState(false);
  if (spaces.isPending) return <Skeleton lines={4} />;
  if (spaces.isError) return <ErrorState error={spaces.error} onRetry={spaces.refetch} />;
  return (
    <div className={styles.part}>
      {isAdmin && (
        <div className={styles.partActions}>
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            {texts.create}
          </Button>
        </div>
      )}
      {spaces.data.length === 0 ? (
        <EmptyState icon="folder" {...texts.empty} />
      ) : (
        <List label={workspaceStrings.tabs.spaces}>
          {spaces.data.map((space) => (
            <SpaceRow key={space.id} id={id} space={space} isAdmin={isAdmin} />
          ))}
        </List>
      )}
      {creating && <SpaceForm id={id} onClose={() => setCreating(false)} />}
    </div>
  );
}

function SpaceRow({ id, space, isAdmin }: { id: string; space: Space; isAdmin: boolean }) {
  const client = useQueryClient();
  const [open, setOpen] = useState<'edit' | 'archive'>();
  const close = () => setOpen(undefined);
  const archive = useMutation({
    mutationFn: () => archiveSpace(id, space.id),
    onSuccess() {
      toast({ title: texts.archived });
      return refreshSpaces(client, id);
    },
    onError: toastError,
    onSettled: close,
  });
  async function copyId() {
    if (await copyText(space.id)) toast({ title: texts.idCopied });
  }
  return (
    <Row
      detail={space.description}
      actions={
        <>
          <Button look="quiet" icon="copy" aria-label={texts.idOf(space.name)} onClick={copyId}>
            {texts.id}
          </Button>
          {isAdmin && (
            <>
              <IconButton icon="edit" label={texts.edit(space.name)} onClick={() => setOpen('edit')} />
              <IconButton icon="trash" label={texts.archive(space.name)} onClick={() => setOpen('archive')} />
            </>
          )}
        </>
      }
    >
      {space.emoji && <span aria-hidden="true">{space.emoji} </span>}
      {space.name}
      {open === 'edit' && <SpaceForm id={id} space={space} onClose={close} />}
      <ConfirmDialog
        open={open === 'archive'}
        onClose={close}
        title={texts.archiveTitle(space.name)}
        description={texts.archiveDetail}
        action={texts.archiveAction}
        busy={archive.isPending}
        onConfirm={() => archive.mutate()}
      />
    </Row>
  );
}
