import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { maxWorkspaceNameLength } from '../../api/limits.ts';
import { useCommands } from '../../lib/commands.ts';
import { formatDay } from '../../lib/format.ts';
import { useReceivedInvitations } from '../../resources/invitations.ts';
import { createWorkspace, useWorkspaces } from '../../resources/workspaces.ts';
import { commonStrings } from '../../strings/common.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Badge, List, Page, Row } from '../../ui/page.tsx';
import { EmptyState, ErrorNotice, ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import styles from './workspaces.module.css';

const texts = workspaceStrings;

export function WorkspaceList() {
  const [creating, setCreating] = useState(false);
  const list = useWorkspaces();
  useCommands([{ label: texts.create, run: () => setCreating(true) }]);
  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      actions={
        <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
          {texts.create}
        </Button>
      }
    >
      <Received />
      {list.isPending && <Skeleton lines={4} />}
      {list.isError && <ErrorState error={list.error} onRetry={list.refetch} />}
      {list.data?.length === 0 && <EmptyState icon="team" {...texts.empty} />}
      {list.data && list.data.length > 0 && (
        <List label={texts.list}>
          {list.data.map((workspace) => (
            <Row
              key={workspace.id}
              detail={
                workspace.managed
                  ? texts.turnsOff(workspace.policy)
                  : texts.createdAt(formatDay(workspace.created_at))
              }
              actions={
                <>
                  {workspace.managed && <Badge tone="warning">{texts.managesYou}</Badge>}
                  <Badge tone={workspace.role === 'admin' ? 'accent' : 'plain'}>
                    {texts.roles[workspace.role]}
                  </Badge>
                </>
              }
            >
              <Link className={styles.name} to={`/workspaces/${workspace.id}`}>
                {workspace.name}
              </Link>
            </Row>
          ))}
        </List>
      )}
      {creating && <NewWorkspace onClose={() => setCreating(false)} />}
    </Page>
  );
}

/** Invitations that wait for an answer. */
function Received() {
  const invitations = useReceivedInvitations().data ?? [];
  if (invitations.length === 0) return null;
  return (
    <List label={texts.received}>
      {invitations.map(({ id, workspace, inviter_name, expires_at }) => (
        <Row
          key={id}
          detail={texts.receivedFrom(inviter_name, formatDay(expires_at))}
          actions={
            <Link className="button" to={`/invitations/${id}`}>
              {texts.answer}
            </Link>
          }
        >
          {texts.receivedTo(workspace.name)}
        </Row>
      ))}
    </List>
  );
}

function NewWorkspace({ onClose }: { onClose(): void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => createWorkspace(client, name.trim()),
    onSuccess(made) {
      toast({ title: texts.created(made.name) });
      navigate(`/workspaces/${made.id}`);
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={texts.create}
      onSubmit={() => create.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{commonStrings.cancel}</Button>
          <Button look="primary" type="submit" busy={create.isPending}>
            {commonStrings.create}
          </Button>
        </>
      }
    >
      <ErrorNotice error={create.error} />
      <TextField
        label={texts.name}
        placeholder={texts.namePlaceholder}
        required
        autoFocus
        maxLength={maxWorkspaceNameLength}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </Dialog>
  );
}
