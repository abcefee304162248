import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { StenoError } from '../../api/errors.ts';
import { maxUserNameLength } from '../../api/limits.ts';
import { formatDay } from '../../lib/format.ts';
import { Link, navigate, useLocation } from '../../lib/router.tsx';
import { useTitle } from '../../lib/use-title.ts';
import { type LinkedInvitation, useInvitationByLink } from '../../resources/invitations.ts';
import { enter, fetchMe, joinByInvitation } from '../../resources/session.ts';
import { beginAtProvider, useSignInMethods } from '../../resources/sign-in-methods.ts';
import { sharedPlaceOf } from '../../resources/spaces.ts';
import { invitationStrings as texts } from '../../strings/invitation.ts';
import { signInStrings } from '../../strings/sign-in.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Button } from '../../ui/button.tsx';
import { Door, Step } from '../../ui/door.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { EmptyState, ErrorNotice } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { WillManage } from './will-manage.tsx';

/** An invitation, for a person who is not signed in and may have no account. */
export function Guest() {
  useTitle(texts.title);
  const token = useLocation().pathname.split('/').at(-1) ?? '';
  const invitation = useInvitationByLink(token);
  return (
    <Door>
      <Loaded from={invitation} lines={5}>
        {(known) =>
          known ? (
            <Welcome token={token} invitation={known} />
          ) : (
            <EmptyState icon="team" title={texts.gone} detail={texts.goneDetail}>
              <Link className="button" to="/sign-in">
                {signInStrings.title}
              </Link>
            </EmptyState>
          )
        }
      </Loaded>
    </Door>
  );
}

function Welcome({ token, invitation }: { token: string; invitation: LinkedInvitation }) {
  const [name, setName] = useState('');
  const { workspace, inviter_name, role, managed, policy, expires_at, email, needs_code } = invitation;
  const here = `/invitations/${token}`;
  const signIn = `/sign-in?${new URLSearchParams({ email, next: here })}`;
  const join = useMutation({
    mutationFn: () => joinByInvitation(token, name),
    async onSuccess({ workspace_id }) {
      const me = await fetchMe();
      const place = await sharedPlaceOf(workspace_id);
      enter(me);
      toast({ title: texts.joined(workspace.name) });
      return navigate(place, { replace: true });
    },
  });
  const hasAccount = join.error instanceof StenoError && join.error.code === 'ACCOUNT_EXISTS';
  const methods = useSignInMethods();
  const provider = methods?.codes === false ? methods.provider : null;
  const byCode = needs_code || hasAccount;
  const goThere = useMutation({
    mutationFn: () => beginAtProvider(here),
    onSuccess: (url) => window.location.assign(url),
  });
  return (
    <Step
      title={texts.inviterAsks(inviter_name, workspace.name)}
      lead={texts.yourRole(workspaceStrings.roles[role])}
      onSubmit={() => (provider ? goThere.mutate() : byCode ? navigate(signIn) : join.mutate())}
    >
      {managed && <WillManage policy={policy} />}
      {!hasAccount && <ErrorNotice error={join.error ?? goThere.error} />}
      {provider || byCode ? (
        <p>
          {provider
            ? texts.needsProvider(email, provider.name)
            : hasAccount
              ? texts.hasAccount(email)
              : texts.needsCode(email)}
        </p>
      ) : (
        <TextField
          label={texts.name}
          hint={texts.yourAddress(email)}
          autoComplete="name"
          maxLength={maxUserNameLength}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <Button look="primary" type="submit" busy={join.isPending || goThere.isPending || goThere.isSuccess}>
        {provider
          ? signInStrings.withProvider(provider.name)
          : byCode
            ? texts.continue
            : managed
              ? texts.createManaged
              : texts.create}
      </Button>
      {!provider && !byCode && (
        <Link className="button button-quiet" to={signIn}>
          {texts.signIn}
        </Link>
      )}
      <p className="muted">{texts.expires(formatDay(expires_at))}</p>
    </Step>
  );
}
