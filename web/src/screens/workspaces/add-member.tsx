import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, explain } from '../../api/errors.ts';
import { addMember, refreshMembers } from '../../resources/members.ts';
import type { Role } from '../../resources/workspaces.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';

const texts = strings.workspaces;

export function AddMember({ id, onClose }: { id: string; onClose(): void }) {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const add = useMutation({
    mutationFn: () => addMember(id, { email: email.trim(), role }),
    onSuccess(member) {
      toast({ title: texts.members.added(member.name) });
      onClose();
      return refreshMembers(client, id);
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={texts.members.add}
      onSubmit={() => add.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button look="primary" type="submit" busy={add.isPending}>
            {strings.common.add}
          </Button>
        </>
      }
    >
      <TextField
        type="email"
        label={texts.members.email}
        hint={texts.members.emailHint}
        error={add.error ? problemOf(add.error) : undefined}
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <SelectField
        label={texts.members.role}
        value={role}
        // The two options are all there is to choose from.
        onChange={(event) => setRole(event.target.value as Role)}
      >
        <option value="member">{texts.roles.member}</option>
        <option value="admin">{texts.roles.admin}</option>
      </SelectField>
    </Dialog>
  );
}

function problemOf(error: Error): string {
  const code = error instanceof ApiError ? error.code : '';
  if (code === 'not_found') return texts.members.noSuchPerson;
  return code === 'conflict' ? texts.members.alreadyMember : explain(error).detail;
}
