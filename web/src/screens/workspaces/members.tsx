import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { formatDay } from '../../lib/format.ts';
import { strings } from '../../strings.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Badge, List, Row } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { AddMember } from './add-member.tsx';
import { type Member, type Role, refreshPart, useMembers } from './queries.ts';
import styles from './workspaces.module.css';

const words = strings.workspaces;

export function Members({ id, isAdmin }: { id: string; isAdmin: boolean }) {
  const members = useMembers(id);
  const [adding, setAdding] = useState(false);
  if (members.isPending) return <Skeleton lines={5} />;
  if (members.isError) return <ErrorState error={members.error} onRetry={members.refetch} />;
  return (
    <div className={styles.part}>
      {isAdmin && (
        <div className={styles.partActions}>
          <Button icon="plus" onClick={() => setAdding(true)}>
            {words.members.add}
          </Button>
        </div>
      )}
      <List label={words.tabs.members}>
        {members.data.map((member) => (
          <MemberRow key={member.user_id} id={id} member={member} isAdmin={isAdmin} />
        ))}
      </List>
      {adding && <AddMember id={id} onClose={() => setAdding(false)} />}
    </div>
  );
}

function MemberRow({ id, member, isAdmin }: { id: string; member: Member; isAdmin: boolean }) {
  const client = useQueryClient();
  const me = useSession().data?.user_id;
  const [asking, setAsking] = useState(false);
  const { user_id, name, email, role } = member;
  const at = { params: { path: { id, user_id } } };
  const setRole = useMutation({
    mutationFn: (next: Role) =>
      read(api.PATCH('/api/workspaces/{id}/members/{user_id}', { ...at, body: { role: next } })),
    onSuccess: () => refreshPart(client, id, 'members'),
    onError: toastError,
  });
  const remove = useMutation({
    mutationFn: () => read(api.DELETE('/api/workspaces/{id}/members/{user_id}', at)),
    onSuccess() {
      toast({ title: words.members.removed(name) });
      return refreshPart(client, id, 'members');
    },
    onError: toastError,
    onSettled: () => setAsking(false),
  });

  return (
    <Row
      detail={[email, words.joined(formatDay(member.created_at))].filter(Boolean).join(' · ')}
      actions={
        isAdmin ? (
          <>
            <SelectField
              label={words.members.roleOf(name)}
              labelHidden
              value={role}
              disabled={setRole.isPending}
              // The two options are all there is to choose from.
              onChange={(event) => setRole.mutate(event.target.value as Role)}
            >
              <option value="admin">{words.roles.admin}</option>
              <option value="member">{words.roles.member}</option>
            </SelectField>
            <IconButton icon="trash" label={words.members.remove(name)} onClick={() => setAsking(true)} />
            <ConfirmDialog
              open={asking}
              onClose={() => setAsking(false)}
              title={words.members.removeTitle(name)}
              description={words.members.removeDetail}
              action={strings.common.remove}
              busy={remove.isPending}
              onConfirm={() => remove.mutate()}
            />
          </>
        ) : (
          <Badge>{words.roles[role]}</Badge>
        )
      }
    >
      {name} {user_id === me && <Badge tone="accent">{words.members.you}</Badge>}
    </Row>
  );
}
