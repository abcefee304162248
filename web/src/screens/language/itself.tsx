import { useState } from 'react';
import { useFolders } from '../../resources/folders.ts';
import { changeLanguageSettings, type LanguageSettings, useActions } from '../../resources/language.ts';
import { languageStrings as texts } from '../../strings/language.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { List, Row, Section } from '../../ui/page.tsx';
import { useAction } from '../../ui/use-action.ts';
import { ChooseActions, type Place } from './choose-actions.tsx';
import { WishRow } from './wish-row.tsx';

/** What is written after a recording without a click, and what else for some folders. */
export function Itself({ settings }: { settings: LanguageSettings }) {
  const known = useActions().data ?? [];
  const folders = useFolders().data ?? [];
  const [changing, setChanging] = useState<Place>();
  const same = useAction((folderId: string) =>
    changeLanguageSettings({
      folders: settings.folders.filter(({ folder_id }) => folder_id !== folderId),
    }),
  );
  const names = (ids: readonly string[]) =>
    known
      .filter(({ id }) => ids.includes(id))
      .map(({ name }) => name)
      .join(', ') || texts.nothing;
  const nameOf = (folderId: string) => folders.find(({ id }) => id === folderId)?.name;
  return (
    <Section
      title={texts.itself}
      actions={
        folders.length > settings.folders.length && (
          <Button icon="plus" onClick={() => setChanging('new')}>
            {texts.addFolder}
          </Button>
        )
      }
    >
      <p className="muted">{texts.itselfDetail}</p>
      <List label={texts.itself}>
        <WishRow wish="titles" settings={settings}>
          {texts.titles}
        </WishRow>
        <Row
          detail={names(settings.actions)}
          actions={
            <IconButton
              icon="edit"
              label={texts.change(texts.everywhere)}
              onClick={() => setChanging(null)}
            />
          }
        >
          {texts.everywhere}
        </Row>
        {settings.folders.map(({ folder_id: id, actions }) => {
          const folder = nameOf(id) ?? texts.goneFolder;
          return (
            <Row
              key={id}
              detail={names(actions)}
              actions={
                <>
                  <IconButton icon="edit" label={texts.change(folder)} onClick={() => setChanging(id)} />
                  <IconButton
                    icon="trash"
                    label={texts.sameAsOthers(folder)}
                    onClick={() => same.mutate(id)}
                  />
                </>
              }
            >
              {texts.inFolder(folder)}
            </Row>
          );
        })}
      </List>
      {changing !== undefined && (
        <ChooseActions settings={settings} place={changing} onClose={() => setChanging(undefined)} />
      )}
    </Section>
  );
}
