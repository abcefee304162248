import { formatDay } from '../../lib/format.ts';
import {
  type Invitation,
  refreshInvitations,
  resendInvitation,
  revokeInvitation,
  type SentInvitation,
  useInvitations,
} from '../../resources/invitations.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Badge, List, Row, Section } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';

const texts = workspaceStrings.invitations;

interface InvitationsProps {
  id: string;
  onSent(sent: SentInvitation): void;
}

/** Nothing while there are no invitations. */
export function Invitations({ id, onSent }: InvitationsProps) {
  const invitations = useInvitations(id);
  return (
    <Loaded from={invitations} lines={2}>
      {(known) =>
        known.length > 0 && (
          <Section title={texts.list}>
            <List label={texts.list}>
              {known.map((invitation) => (
                <InvitationRow key={invitation.id} id={id} invitation={invitation} onSent={onSent} />
              ))}
            </List>
          </Section>
        )
      }
    </Loaded>
  );
}

function InvitationRow({ id, invitation, onSent }: InvitationsProps & { invitation: Invitation }) {
  const { email, role, managed, expires_at } = invitation;
  const resend = useAction(() => resendInvitation(id, invitation.id), onSent);
  const revoke = useAction(
    // A failure most likely means that it has been answered.
    () => revokeInvitation(id, invitation.id).finally(() => refreshInvitations(id)),
    () => toast({ title: texts.revoked(email) }),
  );
  const expired = Date.parse(expires_at) <= Date.now();
  return (
    <Row
      detail={expired ? texts.expired : texts.expires(formatDay(expires_at))}
      actions={
        <>
          {managed && <Badge tone="warning">{workspaceStrings.members.managed}</Badge>}
          <Badge>{workspaceStrings.roles[role]}</Badge>
          <Button look="quiet" busy={resend.isPending} onClick={() => resend.mutate()}>
            {texts.again}
          </Button>
          <IconButton icon="trash" label={texts.revoke(email)} onClick={() => revoke.mutate()} />
        </>
      }
    >
      {email}
    </Row>
  );
}
