import { useMutation, useQueryClient } from '@tanstack/react-query';
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
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Badge, Row } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
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
  const client = useQueryClient();
  const [asking, setAsking] = useState<'suspend' | 'remove'>();
  const { id, name, plan, suspended_at } = person;
  const settled = () => refreshPeople(client);
  /** Only the change that was asked about ends the question. */
  const close = { onSettled: () => setAsking(undefined) };
  const change = useMutation({
    mutationFn: (changes: PersonChanges) => changePersonOf(id, changes),
    onSuccess(_, { suspended }) {
      if (suspended !== undefined)
        toast({ title: suspended ? texts.isSuspended(name) : texts.resumed(name) });
    },
    onError: toastError,
    onSettled: settled,
  });
  const link = useMutation({
    mutationFn: () => makeSignInLink(id),
    onSuccess: ({ link: made }) =>
      made === null ? toast({ title: texts.linkSent(name) }) : onLink({ name, link: made }),
    onError: toastError,
  });
  const signOut = useMutation({
    mutationFn: () => signPersonOut(id),
    onSuccess: () => toast({ title: texts.signedOut(name) }),
    onError: toastError,
    onSettled: settled,
  });
  const remove = useMutation({
    mutationFn: () => removePerson(id),
    onSuccess: () => toast({ title: texts.removed(name) }),
    onError: toastError,
    onSettled: settled,
  });
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
            <MenuItem onSelect={() => setAsking('suspend')}>{texts.suspend}</MenuItem>
          ) : (
            <MenuItem onSelect={() => change.mutate({ suspended: false })}>{texts.resume}</MenuItem>
          ))}
        {!isMe && <MenuItem onSelect={() => setAsking('remove')}>{texts.remove}</MenuItem>}
      </Menu>
      <ConfirmDialog
        open={asking === 'suspend'}
        onClose={() => setAsking(undefined)}
        title={texts.suspendTitle(name)}
        description={texts.suspendDetail}
        action={texts.suspend}
        busy={change.isPending}
        onConfirm={() => change.mutate({ suspended: true }, close)}
      />
      <ConfirmDialog
        open={asking === 'remove'}
        onClose={() => setAsking(undefined)}
        title={texts.removeTitle(name)}
        description={texts.removeDetail}
        action={texts.remove}
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, close)}
      />
    </>
  );
}
