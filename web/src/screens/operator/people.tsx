import { useState } from 'react';
import { useShownOnce } from '../../lib/shown-once.ts';
import { usePaused } from '../../lib/use-paused.ts';
import {
  refreshPeople,
  refreshWorkspaces,
  type SeenWorkspace,
  setWorkspacePlan,
  useAllWorkspaces,
  usePeople,
} from '../../resources/operator.ts';
import { useSession } from '../../resources/session.ts';
import { commonStrings } from '../../strings/common.ts';
import { operatorStrings } from '../../strings/operator.ts';
import { Button } from '../../ui/button.tsx';
import { SearchField } from '../../ui/field.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Page, Row, Section } from '../../ui/page.tsx';
import { SecretShown } from '../../ui/secret-shown.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { AddPerson } from './add-person.tsx';
import styles from './operator.module.css';
import { PersonRow } from './person-row.tsx';
import { PlanField } from './plan-field.tsx';

const texts = operatorStrings.people;

const typingPauseMs = 250;

interface MadeLink {
  name: string;
  link: string;
}

export function Screen() {
  const [adding, setAdding] = useState(false);
  const made = useShownOnce<MadeLink>('sign-in link');
  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      actions={
        <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
          {texts.add}
        </Button>
      }
    >
      <div className={styles.part}>
        {made.values.map((one) => (
          <SecretShown
            key={one.link}
            title={texts.passOn(one.name)}
            detail={texts.passOnDetail}
            label={texts.linkLabel}
            text={one.link}
            copy={commonStrings.copyLink}
            onDone={() => made.dismiss(one)}
          />
        ))}
        <Accounts onLink={made.show} />
      </div>
      <Workspaces />
      {adding && (
        <AddPerson
          onClose={() => setAdding(false)}
          onAdded={({ name, link }) => {
            if (link === null) toast({ title: texts.added(name), detail: texts.addedDetail });
            else made.show({ name, link });
            return refreshPeople();
          }}
        />
      )}
    </Page>
  );
}

function Accounts({ onLink }: { onLink(made: MadeLink): void }) {
  const me = useSession().data?.user_id;
  const [text, setText] = useState('');
  const people = usePeople(usePaused(text.trim(), typingPauseMs));
  return (
    <>
      <SearchField label={texts.find} value={text} onType={setText} />
      <LoadedList from={people} lines={8} label={texts.list} empty={{ icon: 'person', ...texts.none }}>
        {(person) => <PersonRow key={person.id} person={person} isMe={person.id === me} onLink={onLink} />}
      </LoadedList>
    </>
  );
}

function Workspaces() {
  return (
    <Section title={texts.workspaces}>
      <LoadedList
        from={useAllWorkspaces()}
        lines={3}
        label={texts.workspaces}
        empty={{ icon: 'team', ...texts.noWorkspaces }}
      >
        {(workspace) => <WorkspaceRow key={workspace.id} workspace={workspace} />}
      </LoadedList>
    </Section>
  );
}

function WorkspaceRow({
  workspace: { id, name, plan, members, spaces, keys },
}: {
  workspace: SeenWorkspace;
}) {
  const change = useAction((next: typeof plan) => setWorkspacePlan(id, next).finally(refreshWorkspaces));
  return (
    <Row
      detail={[texts.members(members), texts.spaces(spaces), texts.keys(keys)].join(' · ')}
      actions={
        <PlanField
          label={texts.planOf(name)}
          plan={change.isPending ? change.variables : plan}
          busy={change.isPending}
          onChange={change.mutate}
        />
      }
    >
      {name}
    </Row>
  );
}
