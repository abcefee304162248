import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { refreshPart, type Space } from './queries.ts';

const words = strings.workspaces.spaces;
const maxNameLength = 100;
const maxEmojiLength = 16;
const maxDescriptionLength = 500;

/** For a new space, or for the one given. */
export function SpaceForm({ id, space, onClose }: { id: string; space?: Space; onClose(): void }) {
  const client = useQueryClient();
  const [name, setName] = useState(space?.name ?? '');
  const [emoji, setEmoji] = useState(space?.emoji ?? '');
  const [description, setDescription] = useState(space?.description ?? '');
  const save = useMutation({
    mutationFn() {
      const body = {
        name: name.trim(),
        emoji: emoji.trim() || null,
        description: description.trim() || null,
      };
      return space
        ? read(
            api.PATCH('/api/workspaces/{id}/spaces/{space_id}', {
              params: { path: { id, space_id: space.id } },
              body,
            }),
          )
        : read(api.POST('/api/workspaces/{id}/spaces', { params: { path: { id } }, body }));
    },
    onSuccess() {
      onClose();
      return refreshPart(client, id, 'spaces');
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={space ? words.editTitle : words.create}
      onSubmit={() => save.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button look="primary" type="submit" busy={save.isPending}>
            {strings.common.save}
          </Button>
        </>
      }
    >
      <ErrorNotice error={save.error} />
      <TextField
        label={words.name}
        required
        autoFocus
        maxLength={maxNameLength}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label={words.emoji}
        maxLength={maxEmojiLength}
        value={emoji}
        onChange={(event) => setEmoji(event.target.value)}
      />
      <TextArea
        label={words.description}
        rows={3}
        maxLength={maxDescriptionLength}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </Dialog>
  );
}
