import { maxSpaceDescriptionLength, maxSpaceEmojiLength, maxSpaceNameLength } from '../../api/limits.ts';
import { changeSpace, createSpace, refreshSpaces, type Space } from '../../resources/spaces.ts';
import { workspaceStrings } from '../../strings/workspaces.ts';
import { TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

const texts = workspaceStrings.spaces;

/** Creates a space, or edits the given one. */
export function SpaceForm({ id, space, onClose }: { id: string; space?: Space; onClose(): void }) {
  return (
    <FormDialog
      title={space ? texts.editTitle : texts.create}
      save={(typed) => {
        const draft = {
          name: typed('name'),
          emoji: typed('emoji') || null,
          description: typed('description') || null,
        };
        return space ? changeSpace(id, space.id, draft) : createSpace(id, draft);
      }}
      onSaved={() => refreshSpaces(id)}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={texts.name}
        required
        autoFocus
        maxLength={maxSpaceNameLength}
        defaultValue={space?.name}
      />
      <TextField
        name="emoji"
        label={texts.emoji}
        maxLength={maxSpaceEmojiLength}
        defaultValue={space?.emoji ?? ''}
      />
      <TextArea
        name="description"
        label={texts.description}
        rows={3}
        maxLength={maxSpaceDescriptionLength}
        defaultValue={space?.description ?? ''}
      />
    </FormDialog>
  );
}
