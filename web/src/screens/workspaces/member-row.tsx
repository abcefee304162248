import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDay } from '../../lib/format.ts';
import { invite, type SentInvitation } from '../../resources/invitations.ts';
import { changeMember, type Member, refreshMembers } from '../../resources/members.ts';
import type { Role } from '../../resources/workspaces.ts';
import { workspaceStrings as texts } from '../../strings/workspaces.ts';
import { SelectField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Badge, Row } from '../../ui/page.tsx';
import { Switch } from '../../ui/switch.tsx';
import { toast } from '../../ui/toast.tsx';
import { RemoveMember, toastMemberError } from './remove-member.tsx';

interface MemberRowProps {
  id: string;
  member: Member;
  isAdmin: boolean;
  isMe: boolean;
  onInvited(sent: SentInvitation): void;
}

export function MemberRow({ id, member, isAdmin, isMe, onInvited }: MemberRowProps) {
  const { name, email, role, managed, created_at } = member;
  return (
    <Row
      detail={[email, texts.members.joined(formatDay(created_at))].filter(Boolean).join(' · ')}
      actions={
        <>
          {isAdmin ? (
            <Standing id={id} member={member} isMe={isMe} onInvited={onInvited} />
          ) : (
            <>
              {managed && <Badge tone="warning">{texts.members.managed}</Badge>}
              <Badge>{texts.roles[role]}</Badge>
            </>
          )}
          {(isAdmin || isMe) && <RemoveMember id={id} member={member} isAdmin={isAdmin} isMe={isMe} />}
        </>
      }
    >
      {name} {isMe && <Badge tone="accent">{texts.members.you}</Badge>}
    </Row>
  );
}

/** The controls that admins have for a member. To be managed, another person has to accept an invitation. */
function Standing({ id, member, isMe, onInvited }: Omit<MemberRowProps, 'isAdmin'>) {
  const [asking, setAsking] = useState(false);
  const { user_id, name, email, role, managed } = member;
  const change = useMutation({
    mutationFn: (body: { role?: Role; managed?: boolean }) => changeMember(id, user_id, body),
    onSuccess: () => refreshMembers(id),
    onError: toastMemberError,
  });
  function setManaged(next: boolean) {
    if (!next || isMe) change.mutate({ managed: next });
    else if (email !== null) setAsking(true);
    else toast({ ...texts.members.noAddress, tone: 'danger' });
  }
  const saving = change.isPending ? change.variables : {};
  return (
    <>
      <Switch
        label={texts.members.managed}
        aria-label={texts.members.managedOf(name)}
        checked={saving.managed ?? managed}
        busy={change.isPending}
        onChange={setManaged}
      />
      <SelectField
        label={texts.members.roleOf(name)}
        labelHidden
        value={saving.role ?? role}
        disabled={change.isPending}
        options={texts.roles}
        onChoose={(chosen) => change.mutate({ role: chosen })}
      />
      {asking && email !== null && (
        <FormDialog
          title={texts.members.askManaged(name)}
          description={texts.members.askManagedDetail(email)}
          action={texts.invitations.send}
          save={() => invite(id, { email, role, managed: true })}
          onSaved={onInvited}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
