import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { isNotFound } from '../../api/errors.ts';
import { formatDay } from '../../lib/format.ts';
import {
  acceptInvitation,
  declineInvitation,
  type ReceivedInvitation,
  useReceivedInvitation,
} from '../../resources/invitations.ts';
import { usePerson } from '../../resources/session.ts';
import { invitationStrings } from '../../strings/invitation.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorNotice, ErrorState, Notice, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import styles from './invitation.module.css';

const texts = invitationStrings;

export function Screen() {
  const { token = '' } = useParams();
  const invitation = useReceivedInvitation(token);
  return (
    <Page title={texts.title}>
      {invitation.isPending && <Skeleton lines={4} />}
      {invitation.isError &&
        (isNotFound(invitation.error) ? (
          <NotForYou />
        ) : (
          <ErrorState error={invitation.error} onRetry={invitation.refetch} />
        ))}
      {invitation.data && <Question token={token} invitation={invitation.data} />}
    </Page>
  );
}

function Question({ token, invitation }: { token: string; invitation: ReceivedInvitation }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { workspace, inviter_name, role, managed, policy, expires_at } = invitation;
  const accept = useMutation({
    mutationFn: () => acceptInvitation(client, token),
    onSuccess({ id, name }) {
      toast({ title: texts.joined(name) });
      return navigate(`/workspaces/${id}`, { replace: true });
    },
  });
  const decline = useMutation({
    mutationFn: () => declineInvitation(client, token),
    onSuccess() {
      toast({ title: texts.declined });
      return navigate('/workspaces', { replace: true });
    },
  });
  const isBusy = accept.isPending || decline.isPending;
  return (
    <div className={styles.question}>
      <ErrorNotice error={accept.error ?? decline.error} />
      <p>{texts.question(inviter_name, workspace.name, workspaceStrings.roles[role])}</p>
      {managed && (
        <Notice tone="warning" title={texts.managed}>
          <p>{texts.managedDetail}</p>
          <p>{workspaceStrings.turnsOff(policy)}</p>
        </Notice>
      )}
      <p className="muted">{texts.expires(formatDay(expires_at))}</p>
      <div className={styles.answers}>
        <Button look="primary" disabled={isBusy} busy={accept.isPending} onClick={() => accept.mutate()}>
          {managed ? texts.acceptManaged : texts.accept}
        </Button>
        <Button disabled={isBusy} busy={decline.isPending} onClick={() => decline.mutate()}>
          {texts.decline}
        </Button>
      </div>
    </div>
  );
}

function NotForYou() {
  const person = usePerson();
  return (
    <EmptyState icon="team" title={texts.gone} detail={texts.goneDetail}>
      {person.data && <p className="muted">{texts.youAre(person.data.email)}</p>}
    </EmptyState>
  );
}
