import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { ApiError, explain } from '../../api/errors.ts';
import { type Member, refreshMembers, removeMember } from '../../resources/members.ts';
import { refreshWorkspaces } from '../../resources/workspaces.ts';
import { strings } from '../../strings.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import styles from './workspaces.module.css';

const words = strings.workspaces.members;

/** An admin takes a member out; everyone may leave. */
export function RemoveMember({ id, member, isMe }: { id: string; member: Member; isMe: boolean }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const { user_id, name } = member;
  const remove = useMutation({
    mutationFn: () => removeMember(id, user_id),
    async onSuccess() {
      toast({ title: isMe ? words.left : words.removed(name) });
      if (!isMe) return refreshMembers(client, id);
      // First away from here: what is shown would ask for a workspace that is closed now.
      await navigate('/workspaces');
      await refreshWorkspaces(client);
    },
    onError: toastMemberError,
    onSettled: () => setAsking(false),
  });
  const ask = () => setAsking(true);
  return (
    <div className={styles.exit}>
      {isMe ? (
        <Button look="quiet" onClick={ask}>
          {words.leave}
        </Button>
      ) : (
        <IconButton icon="trash" label={words.remove(name)} onClick={ask} />
      )}
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={isMe ? words.leaveTitle : words.removeTitle(name)}
        description={isMe ? words.leaveDetail : words.removeDetail}
        action={isMe ? words.leave : strings.common.remove}
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </div>
  );
}

/** The only conflict there is among members: nobody would be left to run the workspace. */
export function toastMemberError(error: unknown): void {
  if (error instanceof ApiError && error.code === 'conflict')
    toast({ ...explain(error), title: words.needsAdmin, tone: 'danger' });
  else toastError(error);
}
