import { useState } from 'react';
import { formatDateTime, formatRelative } from '../../lib/format.ts';
import { chooseTheme, chosenTheme, type Theme, themes } from '../../lib/theme.ts';
import { hasPasskeys } from '../../resources/passkeys.ts';
import { leave as leaveBrowser, signOut, usePerson, useSession } from '../../resources/session.ts';
import {
  endAllSessions,
  endSession,
  refreshSessions,
  type Session,
  useSessions,
} from '../../resources/sessions.ts';
import { useSignInMethods } from '../../resources/sign-in-methods.ts';
import { accountStrings as texts } from '../../strings/account.ts';
import { commonStrings } from '../../strings/common.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Badge, Page, Row, Section } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useConfirm } from '../../ui/use-confirm.tsx';
import { AppPasswords } from './app-passwords.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { nameDevice } from './device.ts';
import { Identity } from './identity.tsx';
import { OwnData } from './own-data.tsx';
import { Passkeys } from './passkeys.tsx';
import { unsentOf } from './unsent.ts';

export function Screen() {
  const person = usePerson();
  const me = useSession();
  const [question, confirm] = useConfirm();
  /** Clears everything about this person; the shell then shows the sign-in page. */
  const forget = () => leaveBrowser();
  const methods = useSignInMethods();
  const leave = useAction(leaveHere);
  async function leaveHere() {
    const { url } = await signOut();
    forget();
    // The provider ends its own session, and sends the person back to the sign-in page.
    if (url) window.location.assign(url);
  }
  /** What signing out would delete; empty if the server has everything. */
  async function losses(): Promise<string> {
    const { notes, recordings } = me.data ? await unsentOf(me.data.user_id) : { notes: [], recordings: [] };
    return notes.length + recordings.length > 0 ? texts.losesWork(notes, recordings) : '';
  }
  async function askToLeave() {
    const description = await losses();
    if (description === '') return leave.mutate();
    confirm({ title: texts.signOut, description, action: texts.signOutAnyway, run: leaveHere });
  }
  async function askToLeaveEverywhere() {
    confirm({
      title: texts.signOutEverywhere,
      description: `${texts.signOutEverywhereDetail} ${await losses()}`.trim(),
      action: texts.signOutEverywhere,
      run: () => endAllSessions().then(forget),
    });
  }

  return (
    <Page
      title={texts.title}
      lead={person.data ? [person.data.name, person.data.email].filter(Boolean).join(' · ') : undefined}
      actions={
        <Button icon="signOut" busy={leave.isPending} onClick={askToLeave}>
          {texts.signOut}
        </Button>
      }
    >
      {person.data && (
        <Section title={texts.identity}>
          <Identity person={person.data} />
        </Section>
      )}
      {me.data && (
        <Section title={texts.plan}>
          <p>
            <Badge tone="accent">{commonStrings.plans[me.data.plan]}</Badge>
          </p>
        </Section>
      )}
      <Section title={texts.appearance}>
        <Appearance />
      </Section>
      {methods?.passkeys && hasPasskeys() && <Passkeys />}
      {methods?.codes && person.data && <AppPasswords email={person.data.email} />}
      <Section title={texts.data.title}>
        <OwnData />
      </Section>
      <Section
        title={texts.sessions}
        actions={
          <Button look="danger" onClick={askToLeaveEverywhere}>
            {texts.signOutEverywhere}
          </Button>
        }
      >
        <Sessions />
      </Section>
      {person.data && (
        <Section title={texts.delete.title}>
          <DeleteAccount
            person={person.data}
            onDeleted={() => {
              forget();
              toast({ title: texts.delete.done });
            }}
          />
        </Section>
      )}
      {question}
    </Page>
  );
}

const themeChoices = themes.map((value) => ({ value, label: texts.themes[value] }));

function Appearance() {
  const [theme, setTheme] = useState(chosenTheme);
  function choose(chosen: Theme) {
    chooseTheme(chosen);
    setTheme(chosen);
  }
  return <Choice label={texts.theme} value={theme} options={themeChoices} onChange={choose} />;
}

function Sessions() {
  const sessions = useSessions();
  const end = useAction(endSession, () => {
    toast({ title: texts.sessionEnded });
    return refreshSessions();
  });
  return (
    <LoadedList from={sessions} lines={3} label={texts.sessions}>
      {(session) => (
        <Row
          key={session.id}
          detail={<SessionDetail session={session} />}
          actions={
            session.current ? (
              <Badge tone="accent">{texts.thisSession}</Badge>
            ) : (
              <Button look="quiet" onClick={() => end.mutate(session.id)}>
                {texts.endSession}
              </Button>
            )
          }
        >
          {nameDevice(session.user_agent)}
        </Row>
      )}
    </LoadedList>
  );
}

const SessionDetail = ({ session }: { session: Session }) => (
  <>
    {session.ip_address && `${session.ip_address} · `}
    <time dateTime={session.created_at} title={formatDateTime(session.created_at)}>
      {texts.signedIn(formatRelative(session.created_at))}
    </time>
  </>
);
