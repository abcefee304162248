import { useState } from 'react';
import { useMembers } from '../../resources/members.ts';
import { useSession } from '../../resources/session.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { List } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { AddMember } from './add-member.tsx';
import { MemberRow } from './member-row.tsx';
import styles from './workspaces.module.css';

const texts = strings.workspaces;

export function Members({ id, isAdmin }: { id: string; isAdmin: boolean }) {
  const members = useMembers(id);
  const me = useSession().data?.user_id;
  const [adding, setAdding] = useState(false);
  if (members.isPending) return <Skeleton lines={5} />;
  if (members.isError) return <ErrorState error={members.error} onRetry={members.refetch} />;
  return (
    <div className={styles.part}>
      {isAdmin && (
        <div className={styles.partActions}>
          <Button icon="plus" onClick={() => setAdding(true)}>
            {texts.members.add}
          </Button>
        </div>
      )}
      <List label={texts.tabs.members}>
        {members.data.map((member) => (
          <MemberRow
            key={member.user_id}
            id={id}
            member={member}
            isAdmin={isAdmin}
            isMe={member.user_id === me}
          />
        ))}
      </List>
      {adding && <AddMember id={id} onClose={() => setAdding(false)} />}
    </div>
  );
}
