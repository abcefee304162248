import { useMutation } from '@tanstack/react-query';
import { isNotFound } from '../../api/errors.ts';
import { formatDay } from '../../lib/format.ts';
import { Link, navigate, useParams } from '../../lib/router.tsx';
import {
  acceptInvitation,
  declineInvitation,
  type ReceivedInvitation,
  useInvitationByLink,
  useReceivedInvitation,
} from '../../resources/invitations.ts';
import { usePerson } from '../../resources/session.ts';
import { sharedPlaceOf } from '../../resources/spaces.ts';
import { invitationStrings as texts } from '../../strings/invitation.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorNotice, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import styles from './invitation.module.css';
import { WillManage } from './will-manage.tsx';

export function Screen() {
  const { token = '' } = useParams();
  const invitation = useReceivedInvitation(token);
  return (
    <Page title={texts.title}>
      {isNotFound(invitation.error) ? (
        <NotForYou token={token} />
      ) : (
        <Loaded from={invitation} lines={4}>
          {(found) => <Question token={token} invitation={found} />}
        </Loaded>
      )}
    </Page>
  );
}

function Question({ token, invitation }: { token: string; invitation: ReceivedInvitation }) {
  const { workspace, inviter_name, role, managed, policy, expires_at } = invitation;
  const accept = useMutation({
    mutationFn: () => acceptInvitation(token),
    async onSuccess({ id, name }) {
      toast({ title: texts.joined(name) });
      return navigate(await sharedPlaceOf(id), { replace: true });
    },
  });
  const decline = useMutation({
    mutationFn: () => declineInvitation(token),
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
      {managed && <WillManage policy={policy} />}
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

function NotForYou({ token }: { token: string }) {
  const person = usePerson();
  const invitation = useInvitationByLink(token);
  if (!person.data || invitation.isPending) return <Skeleton lines={4} />;
  const youAre = <p className="muted">{texts.youAre(person.data.email)}</p>;
  if (!invitation.data)
    return (
      <EmptyState icon="team" title={texts.gone} detail={texts.goneDetail}>
        {youAre}
      </EmptyState>
    );
  return (
    <EmptyState icon="team" title={texts.other(invitation.data.email)} detail={texts.otherDetail}>
      {youAre}
      <Link className="button" to="/account">
        {texts.account}
      </Link>
    </EmptyState>
  );
}
