import { useState } from 'react';
import { maxActionNameLength, maxActionPromptLength, maxLanguageLength } from '../../api/limits.ts';
import { type Action, type ActionDraft, changeAction, createAction } from '../../resources/language.ts';
import { languageStrings as texts } from '../../strings/language.ts';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { type Section, Sections } from './sections.tsx';

type Output = NonNullable<ActionDraft['output']>;
const outputs = Object.keys(texts.outputs) as Output[];

interface Props {
  /** Undefined for a new one. */
  action?: Action;
  workspaces: readonly { id: string; name: string }[];
  onClose(): void;
}

/** Creates an action, or edits the given one. */
export function ActionForm({ action, workspaces, onClose }: Props) {
  const [sections, setSections] = useState<readonly Section[]>(action?.sections ?? []);
  const [output, setOutput] = useState<Output>(outputs.find((one) => one === action?.output) ?? 'replace');
  const [workspaceId, setWorkspaceId] = useState('');
  function save(typed: (name: string) => string) {
    const draft = {
      name: typed('name'),
      prompt: typed('prompt'),
      sections: sections.length === 0 ? null : [...sections],
      output,
      language: typed('language') || null,
    };
    if (action) return changeAction(action.id, draft);
    return createAction({ ...draft, ...(workspaceId ? { workspace_id: workspaceId } : {}) });
  }
  return (
    <FormDialog wide title={action ? texts.editTitle : texts.create} save={save} onClose={onClose}>
      <TextField
        name="name"
        label={texts.name}
        required
        autoFocus
        maxLength={maxActionNameLength}
        defaultValue={action?.name}
      />
      <TextArea
        name="prompt"
        label={texts.prompt}
        placeholder={texts.promptPlaceholder}
        required
        rows={4}
        maxLength={maxActionPromptLength}
        defaultValue={action?.prompt}
      />
      <Sections sections={sections} onChange={setSections} />
      <SelectField label={texts.output} value={output} options={texts.outputs} onChoose={setOutput} />
      <TextField
        name="language"
        label={texts.language}
        placeholder={texts.languagePlaceholder}
        maxLength={maxLanguageLength}
        defaultValue={action?.language ?? ''}
      />
      {!action && workspaces.length > 0 && (
        <SelectField
          label={texts.sharedWith}
          value={workspaceId}
          onChoose={setWorkspaceId}
          options={[
            { id: '', name: texts.onlyMe },
            ...workspaces.map(({ id, name }) => ({ id, name: texts.everyoneIn(name) })),
          ]}
        />
      )}
    </FormDialog>
  );
}
