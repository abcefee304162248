import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useShownOnce } from '../../lib/shown-once.ts';
import { refreshInvitations, type SentInvitation } from '../../resources/invitations.ts';
import { useMembers } from '../../resources/members.ts';
import { useSession } from '../../resources/session.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Button } from '../../ui/button.tsx';
import { LinkToPassOn } from '../../ui/link-to-pass-on.tsx';
import { List } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { Invitations } from './invitations.tsx';
import { InviteMember } from './invite-member.tsx';
import { MemberRow } from './member-row.tsx';
import styles from './workspaces.module.css';

const texts = workspaceStrings;

export function Members({ id, isAdmin }: { id: string; isAdmin: boolean }) {
  const client = useQueryClient();
  const members = useMembers(id);
  const me = useSession().data?.user_id;
  const [inviting, setInviting] = useState(false);
  const [unmailed, setUnmailed] = useShownOnce<{ email: string; link: string }>(`invitation ${id}`);
  function sent({ email, link }: SentInvitation) {
    if (link === null) toast({ title: texts.invitations.sent(email) });
    setUnmailed(link === null ? undefined : { email, link });
    return refreshInvitations(client, id);
  }
  if (members.isPending) return <Skeleton lines={5} />;
  if (members.isError) return <ErrorState error={members.error} onRetry={members.refetch} />;
  return (
    <div className={styles.part}>
      {isAdmin && (
        <div className={styles.partActions}>
          <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
            {texts.invitations.invite}
          </Button>
        </div>
      )}
      {unmailed && (
        <LinkToPassOn
          title={texts.invitations.passOn(unmailed.email)}
          detail={texts.invitations.passOnDetail}
          label={texts.invitations.link}
          link={unmailed.link}
          onDone={() => setUnmailed(undefined)}
        />
      )}
      <List label={texts.tabs.members}>
        {members.data.map((member) => (
          <MemberRow
            key={member.user_id}
            id={id}
            member={member}
            isAdmin={isAdmin}
            isMe={member.user_id === me}
            onInvited={sent}
          />
        ))}
      </List>
      {isAdmin && <Invitations id={id} onSent={sent} />}
      {inviting && <InviteMember id={id} onSent={sent} onClose={() => setInviting(false)} />}
    </div>
  );
}
