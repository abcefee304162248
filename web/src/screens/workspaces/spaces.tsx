import { useState } from 'react';
import { archiveSpace, refreshSpaces, type Space, useSpaces } from '../../resources/spaces.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-button.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Row } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { useConfirm } from '../../ui/use-confirm.tsx';
import { SpaceForm } from './space-form.tsx';
import styles from './workspaces.module.css';

const texts = workspaceStrings.spaces;

export function Spaces({ id, isAdmin }: { id: string; isAdmin: boolean }) {
  const spaces = useSpaces(id);
  const [creating, setCreating] = useState(false);
  return (
    <div className={styles.part}>
      {isAdmin && (
        <div className={styles.partActions}>
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            {texts.create}
          </Button>
        </div>
      )}
      <LoadedList
        from={spaces}
        lines={4}
        label={workspaceStrings.tabs.spaces}
        empty={{ icon: 'folder', ...texts.empty }}
      >
        {(space) => <SpaceRow key={space.id} id={id} space={space} isAdmin={isAdmin} />}
      </LoadedList>
      {creating && <SpaceForm id={id} onClose={() => setCreating(false)} />}
    </div>
  );
}

function SpaceRow({ id, space, isAdmin }: { id: string; space: Space; isAdmin: boolean }) {
  const [editing, setEditing] = useState(false);
  const [question, confirm] = useConfirm();
  const archive = () =>
    confirm({
      title: texts.archiveTitle(space.name),
      description: texts.archiveDetail,
      action: texts.archiveAction,
      run: () => archiveSpace(id, space.id).then(() => refreshSpaces(id)),
      done: texts.archived,
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
              <IconButton icon="edit" label={texts.edit(space.name)} onClick={() => setEditing(true)} />
              <IconButton icon="trash" label={texts.archive(space.name)} onClick={archive} />
            </>
          )}
        </>
      }
    >
      {space.emoji && <span aria-hidden="true">{space.emoji} </span>}
      {space.name}
      {editing && <SpaceForm id={id} space={space} onClose={() => setEditing(false)} />}
      {question}
    </Row>
  );
}
