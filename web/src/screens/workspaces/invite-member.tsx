import { useState } from 'react';
import { explain, StenoError } from '../../api/errors.ts';
import { invite, type SentInvitation } from '../../resources/invitations.ts';
import type { Role } from '../../resources/workspaces.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Checkbox, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

const texts = workspaceStrings;

interface InviteMemberProps {
  id: string;
  onSent(sent: SentInvitation): void;
  onClose(): void;
}

export function InviteMember({ id, onSent, onClose }: InviteMemberProps) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [managed, setManaged] = useState(false);
  return (
    <FormDialog
      title={texts.invitations.invite}
      action={texts.invitations.send}
      save={() => invite(id, { email: email.trim(), role, managed })}
      onSaved={onSent}
      onClose={onClose}
    >
      {(error) => (
        <>
          <TextField
            type="email"
            label={texts.members.email}
            hint={texts.invitations.emailHint}
            error={error ? problemOf(error) : undefined}
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <SelectField label={texts.members.role} value={role} options={texts.roles} onChoose={setRole} />
          <Checkbox
            label={texts.invitations.manage}
            hint={texts.invitations.manageHint}
            checked={managed}
            onChange={(event) => setManaged(event.target.checked)}
          />
        </>
      )}
    </FormDialog>
  );
}

const problemOf = (error: Error) =>
  error instanceof StenoError && error.code === 'conflict'
    ? texts.members.alreadyMember
    : explain(error).detail;
