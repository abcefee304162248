import { useState } from 'react';
import { invite, type SentInvitation } from '../../resources/invitations.ts';
import type { Role } from '../../resources/workspaces.ts';
import { workspaceStrings as texts } from '../../strings/workspaces.ts';
import { Checkbox, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

interface InviteMemberProps {
  id: string;
  onSent(sent: SentInvitation): void;
  onClose(): void;
}

export function InviteMember({ id, onSent, onClose }: InviteMemberProps) {
  const [role, setRole] = useState<Role>('member');
  const [managed, setManaged] = useState(false);
  return (
    <FormDialog
      title={texts.invitations.invite}
      action={texts.invitations.send}
      save={(typed) => invite(id, { email: typed('email'), role, managed })}
      onSaved={onSent}
      onClose={onClose}
    >
      <TextField
        type="email"
        name="email"
        label={texts.members.email}
        hint={texts.invitations.emailHint}
        refusals={{ conflict: texts.members.alreadyMember }}
        required
        autoFocus
      />
      <SelectField label={texts.members.role} value={role} options={texts.roles} onChoose={setRole} />
      <Checkbox
        label={texts.invitations.manage}
        hint={texts.invitations.manageHint}
        checked={managed}
        onChange={(event) => setManaged(event.target.checked)}
      />
    </FormDialog>
  );
}
