import { useState } from 'react';
import { maxTitleLength } from '../../api/limits.ts';
import { Link } from '../../lib/router.tsx';
import { transcriptStrings as texts } from '../../strings/transcript.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { toast } from '../../ui/toast.tsx';

interface Props {
  record: { text: string; note_id: string | null };
  suggestedTitle: string;
  folders: readonly { id: string; name: string }[];
  /** `folderId` is '' for no folder. */
  onSave(draft: { title: string; folderId: string }): Promise<void>;
}

/** Asks for a title and a folder. Once saved, it becomes a link to the note. */
export function SaveNote({ record, suggestedTitle, folders, onSave }: Props) {
  const [open, setOpen] = useState(false);
  const [folderId, setFolderId] = useState('');
  if (record.note_id)
    return (
      <Link className="button" to={`/notes/${record.note_id}`}>
        <Icon name="note" />
        {texts.openNote}
      </Link>
    );
  // A note needs some text.
  if (record.text.trim() === '') return null;
  return (
    <>
      <Button look="primary" icon="note" onClick={() => setOpen(true)}>
        {texts.saveNote}
      </Button>
      {open && (
        <FormDialog
          title={texts.saveNote}
          save={(typed) => onSave({ title: typed('title'), folderId })}
          onSaved={() => toast({ title: texts.noteSaved })}
          onClose={() => setOpen(false)}
        >
          <TextField
            name="title"
            label={texts.noteTitle}
            maxLength={maxTitleLength}
            defaultValue={suggestedTitle.slice(0, maxTitleLength)}
          />
          {folders.length > 0 && (
            <SelectField
              label={texts.noteFolder}
              value={folderId}
              options={[{ id: '', name: texts.noFolder }, ...folders]}
              onChoose={setFolderId}
            />
          )}
        </FormDialog>
      )}
    </>
  );
}
