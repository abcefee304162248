import { useState } from 'react';
import { maxWorkspaceNameLength } from '../../api/limits.ts';
import { useCommands } from '../../lib/commands.ts';
import { formatDay } from '../../lib/format.ts';
import { Link, navigate, useParams } from '../../lib/router.tsx';
import { useReceivedInvitations } from '../../resources/invitations.ts';
import { createWorkspace, useWorkspaces, type Workspace } from '../../resources/workspaces.ts';
import { commonStrings } from '../../strings/common.ts';
import { workspaceStrings as texts } from '../../strings/workspaces.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Badge, List, Page, Row } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { OneWorkspace } from './one-workspace.tsx';
import styles from './workspaces.module.css';

export function Screen() {
  const { id } = useParams();
  return id === undefined ? <WorkspaceList /> : <OneWorkspace id={id} />;
}

function WorkspaceList() {
  const [creating, setCreating] = useState(false);
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
      <LoadedList
        from={useWorkspaces()}
        lines={4}
        label={texts.list}
        empty={{ icon: 'team', ...texts.empty }}
      >
        {(workspace) => <WorkspaceRow key={workspace.id} workspace={workspace} />}
      </LoadedList>
      {creating && <NewWorkspace onClose={() => setCreating(false)} />}
    </Page>
  );
}

const WorkspaceRow = ({ workspace }: { workspace: Workspace }) => (
  <Row
    detail={
      workspace.managed ? texts.turnsOff(workspace.policy) : texts.createdAt(formatDay(workspace.created_at))
    }
    actions={
      <>
        {workspace.managed && <Badge tone="warning">{texts.managesYou}</Badge>}
        <Badge tone={workspace.role === 'admin' ? 'accent' : 'plain'}>{texts.roles[workspace.role]}</Badge>
      </>
    }
  >
    <Link className={styles.name} to={`/workspaces/${workspace.id}`}>
      {workspace.name}
    </Link>
  </Row>
);

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
  return (
    <FormDialog
      title={texts.create}
      action={commonStrings.create}
      save={(typed) => createWorkspace(typed('name'))}
      onSaved={(made) => {
        toast({ title: texts.created(made.name) });
        navigate(`/workspaces/${made.id}`);
      }}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={texts.name}
        placeholder={texts.namePlaceholder}
        required
        autoFocus
        maxLength={maxWorkspaceNameLength}
      />
    </FormDialog>
  );
}
