import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { maxSpaceDescriptionLength, maxSpaceEmojiLength, maxSpaceNameLength } from '../../api/limits.ts';
import { changeSpace, createSpace, refreshSpaces, type Space } from '../../resources/spaces.ts';
import { commonStrings } from '../../strings/common.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { ErrorNotice } from '../../ui/states.tsx';

const texts = workspaceStrings.spaces;

/** Creates a space, or edits the given one. */
export function SpaceForm({ id, space, onClose }: { id: string; space?: Space; onClose(): void }) {
  const client = useQueryClient();
  const [name, setName] = useState(space?.name ?? '');
  const [emoji, setEmoji] = useState(space?.emoji ?? '');
  const [description, setDescription] = useState(space?.description ?? '');
  const save = useMutation({
    mutationFn() {
      const draft = {
        name: name.trim(),
        emoji: emoji.trim() || null,
        description: description.trim() || null,
      };
      return space ? changeSpace(id, space.id, draft) : createSpace(id, draft);
    },
    onSuccess() {
      onClose();
      return refreshSpaces(client, id);
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={space ? texts.editTitle : texts.create}
      onSubmit={() => save.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{commonStrings.cancel}</Button>
          <Button look="primary" type="submit" busy={save.isPending}>
            {commonStrings.save}
          </Button>
        </>
      }
    >
      <ErrorNotice error={save.error} />
      <TextField
        label={texts.name}
        required
        autoFocus
        maxLength={maxSpaceNameLength}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label={texts.emoji}
        maxLength={maxSpaceEmojiLength}
        value={emoji}
        onChange={(event) => setEmoji(event.target.value)}
      />
      <TextArea
        label={texts.description}
        rows={3}
        maxLength={maxSpaceDescriptionLength}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </Dialog>
  );
}
