import { useState } from 'react';
import { useShownOnce } from '../../lib/shown-once.ts';
import { refreshInvitations, type SentInvitation } from '../../resources/invitations.ts';
import { useMembers } from '../../resources/members.ts';
import { useSession } from '../../resources/session.ts';
import { commonStrings } from '../../strings/common.ts';
import { workspaceStrings as texts } from '../../strings/workspaces.ts';
import { Button } from '../../ui/button.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { SecretShown } from '../../ui/secret-shown.tsx';
import { toast } from '../../ui/toast.tsx';
import { Invitations } from './invitations.tsx';
import { InviteMember } from './invite-member.tsx';
import { MemberRow } from './member-row.tsx';
import styles from './workspaces.module.css';

export function Members({ id, isAdmin }: { id: string; isAdmin: boolean }) {
  const members = useMembers(id);
  const me = useSession().data?.user_id;
  const [inviting, setInviting] = useState(false);
  const unmailed = useShownOnce<{ email: string; link: string }>(`invitation ${id}`);
  function sent({ email, link }: SentInvitation) {
    // A link to the same person takes the place of the earlier one, which no longer works.
    for (const one of unmailed.values) if (one.email === email) unmailed.dismiss(one);
    if (link === null) toast({ title: texts.invitations.sent(email) });
    else unmailed.show({ email, link });
    return refreshInvitations(id);
  }
  return (
    <div className={styles.part}>
      {isAdmin && (
        <div className={styles.partActions}>
          <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
            {texts.invitations.invite}
          </Button>
        </div>
      )}
      {unmailed.values.map((one) => (
        <SecretShown
          key={one.link}
          title={texts.invitations.passOn(one.email)}
          detail={texts.invitations.passOnDetail}
          label={texts.invitations.link}
          text={one.link}
          copy={commonStrings.copyLink}
          onDone={() => unmailed.dismiss(one)}
        />
      ))}
      <LoadedList from={members} lines={5} label={texts.tabs.members}>
        {(member) => (
          <MemberRow
            key={member.user_id}
            id={id}
            member={member}
            isAdmin={isAdmin}
            isMe={member.user_id === me}
            onInvited={sent}
          />
        )}
      </LoadedList>
      {isAdmin && <Invitations id={id} onSent={sent} />}
      {inviting && <InviteMember id={id} onSent={sent} onClose={() => setInviting(false)} />}
    </div>
  );
}
