import { useState } from 'react';
import { formatBytes, formatRelative } from '../../lib/format.ts';
import {
  changePersonOf,
  makeSignInLink,
  type Person,
  type PersonChanges,
  refreshPeople,
  removePerson,
  signPersonOut,
} from '../../resources/operator.ts';
import { operatorStrings } from '../../strings/operator.ts';
import { IconButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Badge, Row } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useConfirm } from '../../ui/use-confirm.tsx';
import { PlanField } from './plan-field.tsx';

const texts = operatorStrings.people;

interface Props {
  person: Person;
  isMe: boolean;
  /** A link that could not be mailed. */
  onLink(made: { name: string; link: string }): void;
}

export function PersonRow({ person, isMe, onLink }: Props) {
  const { name, email, operator, suspended_at } = person;
  return (
    <Row detail={detailOf(person)} actions={<Actions person={person} isMe={isMe} onLink={onLink} />}>
      {name} {email !== null && <span className="muted">{email}</span>}{' '}
      {isMe && <Badge tone="accent">{texts.you}</Badge>} {operator && <Badge>{texts.operator}</Badge>}{' '}
      {suspended_at !== null && <Badge tone="warning">{texts.suspended}</Badge>}
    </Row>
  );
}

const detailOf = ({ last_used_at, storage_bytes, sessions, keys }: Person) =>
  [
    last_used_at === null ? texts.neverUsed : texts.lastUsed(formatRelative(last_used_at)),
    texts.audio(formatBytes(storage_bytes)),
    texts.sessions(sessions),
    texts.keys(keys),
  ].join(' · ');

function Actions({ person, isMe, onLink }: Props) {
  const [removing, setRemoving] = useState(false);
  const [question, confirm] = useConfirm();
  const { id, name, plan, suspended_at } = person;
  const change = useAction((changes: PersonChanges) => changePersonOf(id, changes).finally(refreshPeople));
  const link = useAction(
    () => makeSignInLink(id),
    ({ link: made }) =>
      made === null ? toast({ title: texts.linkSent(name) }) : onLink({ name, link: made }),
  );
  const signOut = useAction(
    () => signPersonOut(id).finally(refreshPeople),
    () => toast({ title: texts.signedOut(name) }),
  );
  const suspend = () =>
    confirm({
      title: texts.suspendTitle(name),
      description: texts.suspendDetail,
      action: texts.suspend,
      run: () => changePersonOf(id, { suspended: true }).finally(refreshPeople),
      done: texts.isSuspended(name),
    });
  const resume = () =>
    change.mutate({ suspended: false }, { onSuccess: () => toast({ title: texts.resumed(name) }) });
  return (
    <>
      <PlanField
        label={texts.planOf(name)}
        plan={(change.isPending && change.variables.plan) || plan}
        busy={change.isPending}
        onChange={(next) => change.mutate({ plan: next })}
      />
      <Menu trigger={<IconButton icon="dots" label={texts.actions(name)} />}>
        {suspended_at === null && <MenuItem onSelect={() => link.mutate()}>{texts.link}</MenuItem>}
        <MenuItem onSelect={() => signOut.mutate()}>{texts.signOut}</MenuItem>
        {!isMe &&
          (suspended_at === null ? (
            <MenuItem onSelect={suspend}>{texts.suspend}</MenuItem>
          ) : (
            <MenuItem onSelect={resume}>{texts.resume}</MenuItem>
          ))}
        {!isMe && <MenuItem onSelect={() => setRemoving(true)}>{texts.remove}</MenuItem>}
      </Menu>
      {question}
      {removing && <RemovePerson person={person} onClose={() => setRemoving(false)} />}
    </>
  );
}

/** Nothing brings an account back, so its address is typed, as for one's own. */
function RemovePerson({ person: { id, name, email }, onClose }: { person: Person; onClose(): void }) {
  const [typed, setTyped] = useState('');
  const [isMistyped, setMistyped] = useState(false);
  const wanted = email ?? name;
  return (
    <FormDialog
      title={texts.removeTitle(name)}
      description={texts.removeDetail}
      action={texts.remove}
      look="danger"
      isComplete={() => {
        const isRight = typed.trim().toLowerCase() === wanted.toLowerCase();
        setMistyped(!isRight);
        return isRight;
      }}
      save={() => removePerson(id).finally(refreshPeople)}
      onSaved={() => toast({ title: texts.removed(name) })}
      onClose={onClose}
    >
      <TextField
        label={texts.typeToRemove(wanted)}
        autoComplete="off"
        required
        value={typed}
        error={isMistyped ? texts.mistyped : undefined}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  );
}
