import { useMutation, useQueryClient } from '@tanstack/react-query';
import { formatDay } from '../../lib/format.ts';
import { changeMember, type Member, refreshMembers } from '../../resources/members.ts';
import type { Role } from '../../resources/workspaces.ts';
import { strings } from '../../strings.ts';
import { SelectField } from '../../ui/field.tsx';
import { Badge, Row } from '../../ui/page.tsx';
import { Switch } from '../../ui/switch.tsx';
import { RemoveMember, toastMemberError } from './remove-member.tsx';

const texts = strings.workspaces;

interface MemberRowProps {
  id: string;
  member: Member;
  isAdmin: boolean;
  isMe: boolean;
}

export function MemberRow({ id, member, isAdmin, isMe }: MemberRowProps) {
  const { name, email, role, managed, created_at } = member;
  return (
    <Row
      detail={[email, texts.members.joined(formatDay(created_at))].filter(Boolean).join(' · ')}
      actions={
        <>
          {isAdmin ? (
            <Standing id={id} member={member} />
          ) : (
            <>
              {managed && <Badge tone="warning">{texts.members.managed}</Badge>}
              <Badge>{texts.roles[role]}</Badge>
            </>
          )}
          {(isAdmin || isMe) && <RemoveMember id={id} member={member} isMe={isMe} />}
        </>
      }
    >
      {name} {isMe && <Badge tone="accent">{texts.members.you}</Badge>}
    </Row>
  );
}

/** The controls that admins have for a member. */
function Standing({ id, member }: { id: string; member: Member }) {
  const client = useQueryClient();
  const { user_id, name, role, managed } = member;
  const change = useMutation({
    mutationFn: (body: { role?: Role; managed?: boolean }) => changeMember(id, user_id, body),
    onSuccess: () => refreshMembers(client, id),
    onError: toastMemberError,
  });
  const saving = change.isPending ? change.variables : {};
  return (
    <>
      <Switch
        label={texts.members.managed}
        aria-label={texts.members.managedOf(name)}
        checked={saving.managed ?? managed}
        busy={change.isPending}
        onChange={(next) => change.mutate({ managed: next })}
      />
      <SelectField
        label={texts.members.roleOf(name)}
        labelHidden
        value={saving.role ?? role}
        disabled={change.isPending}
        // The two options are all there is to choose from.
        onChange={(event) => change.mutate({ role: event.target.value as Role })}
      >
        <option value="admin">{texts.roles.admin}</option>
        <option value="member">{texts.roles.member}</option>
      </SelectField>
    </>
  );
}
