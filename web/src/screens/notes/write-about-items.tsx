import { useActions, useForbiddenBy } from '../../resources/language.ts';
import { languageStrings as texts } from '../../strings/language.ts';
import { MenuGroup, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { wantedAction } from './wanted-action.ts';

/** The actions of the language model, in the menu of a note. */
export function WriteAboutItems({ noteId }: { noteId: string }) {
  const actions = useActions().data ?? [];
  const isForbidden = useForbiddenBy() !== undefined;
  if (isForbidden || actions.length === 0) return null;
  return (
    <>
      <MenuLine />
      <MenuGroup label={texts.menu}>
        {actions.map(({ id, name }) => (
          <MenuItem key={id} icon="spark" onSelect={() => wantedAction.set({ noteId, actionId: id })}>
            <span className="truncate">{name}</span>
          </MenuItem>
        ))}
      </MenuGroup>
    </>
  );
}
