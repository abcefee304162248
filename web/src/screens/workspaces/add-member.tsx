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

const words = strings.workspaces;

export function AddMember({ id, onClose }: { id: string; onClose(): void }) {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const add = useMutation({
    mutationFn: () => addMember(id, { email: email.trim(), role }),
    onSuccess(member) {
      toast({ title: words.members.added(member.name) });
      onClose();
      return refreshMembers(client, id);
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={words.members.add}
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
        label={words.members.email}
        hint={words.members.emailHint}
        error={add.error ? problemOf(add.error) : undefined}
        required
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <SelectField
        label={words.members.role}
        value={role}
        // The two options are all there is to choose from.
        onChange={(event) => setRole(event.target.value as Role)}
      >
        <option value="member">{words.roles.member}</option>
        <option value="admin">{words.roles.admin}</option>
      </SelectField>
    </Dialog>
  );
}

function problemOf(error: Error): string {
  const code = error instanceof ApiError ? error.code : '';
  if (code === 'not_found') return words.members.noSuchPerson;
  return code === 'conflict' ? words.members.alreadyMember : explain(error).detail;
}
