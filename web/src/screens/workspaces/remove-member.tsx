import { useState } from 'react';
import { explain, StenoError } from '../../api/errors.ts';
import { navigate } from '../../lib/router.tsx';
import { type Member, refreshMembers, removeMember } from '../../resources/members.ts';
import { refreshWorkspaces } from '../../resources/workspaces.ts';
import { commonStrings } from '../../strings/common.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ErrorNotice, Notice } from '../../ui/states.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import styles from './workspaces.module.css';

const texts = workspaceStrings.members;

interface RemoveMemberProps {
  id: string;
  member: Member;
  isAdmin: boolean;
  isMe: boolean;
}

/** Admins can remove members; everyone can leave. */
export function RemoveMember({ id, member, isAdmin, isMe }: RemoveMemberProps) {
  const [asking, setAsking] = useState(false);
  const [revokeKeys, setRevokeKeys] = useState(false);
  const { user_id, name, workspace_keys } = member;
  async function removed() {
    toast({ title: isMe ? texts.left : texts.removed(name) });
    if (!isMe) return refreshMembers(id);
    // Navigate first: this page would ask for a workspace that it can no longer read.
    await navigate('/workspaces');
    await refreshWorkspaces();
  }
  const ask = () => setAsking(true);
  return (
    <div className={styles.exit}>
      {isMe ? (
        <Button look="quiet" onClick={ask}>
          {texts.leave}
        </Button>
      ) : (
        <IconButton icon="trash" label={texts.remove(name)} onClick={ask} />
      )}
      {asking && (
        <FormDialog
          title={isMe ? texts.leaveTitle : texts.removeTitle(name)}
          description={isMe ? texts.leaveDetail : texts.removeDetail}
          action={isMe ? texts.leave : commonStrings.remove}
          look="danger"
          save={() => removeMember(id, user_id, revokeKeys)}
          onSaved={removed}
          onClose={() => setAsking(false)}
        >
          {(error) => (
            <>
              <MemberError error={error} />
              {isAdmin && workspace_keys > 0 && (
                <Checkbox
                  label={texts.revokeKeys(workspace_keys)}
                  hint={texts.revokeKeysHint}
                  checked={revokeKeys}
                  onChange={(event) => setRevokeKeys(event.target.checked)}
                />
              )}
            </>
          )}
        </FormDialog>
      )}
    </div>
  );
}

/** The only conflict among members: the workspace would have no admin left. */
const needsAdmin = (error: unknown) => error instanceof StenoError && error.code === 'conflict';

const MemberError = ({ error }: { error: Error | null }) =>
  needsAdmin(error) ? (
    <Notice tone="danger" title={texts.needsAdmin}>
      <p>{explain(error).detail}</p>
    </Notice>
  ) : (
    <ErrorNotice error={error} />
  );

export function toastMemberError(error: unknown): void {
  if (needsAdmin(error)) toast({ ...explain(error), title: texts.needsAdmin, tone: 'danger' });
  else toastError(error);
}
