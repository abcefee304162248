import { useState } from 'react';
import { maxSpaceDescriptionLength, maxSpaceEmojiLength, maxSpaceNameLength } from '../../api/limits.ts';
import { changeSpace, createSpace, refreshSpaces, type Space } from '../../resources/spaces.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

const texts = workspaceStrings.spaces;

/** Creates a space, or edits the given one. */
export function SpaceForm({ id, space, onClose }: { id: string; space?: Space; onClose(): void }) {
  const [name, setName] = useState(space?.name ?? '');
  const [emoji, setEmoji] = useState(space?.emoji ?? '');
  const [description, setDescription] = useState(space?.description ?? '');
  const draft = () => ({
    name: name.trim(),
    emoji: emoji.trim() || null,
    description: description.trim() || null,
  });
  return (
    <FormDialog
      title={space ? texts.editTitle : texts.create}
      save={() => (space ? changeSpace(id, space.id, draft()) : createSpace(id, draft()))}
      onSaved={() => refreshSpaces(id)}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={texts.name}
        required
        autoFocus
        maxLength={maxSpaceNameLength}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        name="emoji"
        label={texts.emoji}
        maxLength={maxSpaceEmojiLength}
        value={emoji}
        onChange={(event) => setEmoji(event.target.value)}
      />
      <TextArea
        name="description"
        label={texts.description}
        rows={3}
        maxLength={maxSpaceDescriptionLength}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </FormDialog>
  );
}
