import { useState } from 'react';
import { maxChosenActions } from '../../api/limits.ts';
import { useFolders } from '../../resources/folders.ts';
import {
  type Action,
  changeLanguageSettings,
  type LanguageSettings,
  useActions,
} from '../../resources/language.ts';
import { languageStrings as texts } from '../../strings/language.ts';
import { Checkboxes, SelectField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

/** The id of a folder. Null: recordings into all others. `new`: a folder is still to be chosen. */
export type Place = string | null | 'new';

interface Props {
  settings: LanguageSettings;
  place: Place;
  onClose(): void;
}

/** A title has a switch of its own, and a translation needs a language: an own action has one. */
const canRunByItself = ({ id }: Action) => id !== 'title' && id !== 'translate';

export function ChooseActions({ settings, place, onClose }: Props) {
  const actions = (useActions().data ?? []).filter(canRunByItself);
  const folders = useFolders().data ?? [];
  const free = folders.filter(({ id }) => !settings.folders.some(({ folder_id }) => folder_id === id));
  const [folderId, setFolderId] = useState(place === 'new' ? '' : place);
  const [chosen, setChosen] = useState<readonly string[]>(
    settings.folders.find(({ folder_id }) => folder_id === place)?.actions ?? settings.actions,
  );
  function save() {
    // An action that is gone would be refused.
    const ids = chosen.filter((id) => actions.some((action) => action.id === id));
    if (folderId === null) return changeLanguageSettings({ actions: ids });
    const others = settings.folders.filter(({ folder_id }) => folder_id !== folderId);
    return changeLanguageSettings({ folders: [...others, { folder_id: folderId, actions: ids }] });
  }
  const name = folders.find(({ id }) => id === place)?.name;
  const title = place === 'new' ? texts.addFolder : name ? texts.inFolder(name) : texts.everywhere;
  return (
    <FormDialog title={title} save={save} onClose={onClose}>
      {place === 'new' && (
        <SelectField
          label={texts.folder}
          required
          value={folderId ?? ''}
          onChoose={setFolderId}
          options={[{ id: '', name: texts.chooseFolder }, ...free]}
        />
      )}
      <Checkboxes
        legend={texts.choose}
        options={actions.map(({ id, name }) => ({ value: id, label: name }))}
        chosen={chosen}
        onChoose={setChosen}
        most={maxChosenActions}
      />
      {chosen.length >= maxChosenActions && <p className="field-hint">{texts.most(maxChosenActions)}</p>}
    </FormDialog>
  );
}
