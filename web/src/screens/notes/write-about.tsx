import { useEffect, useState } from 'react';
import { maxLanguageLength } from '../../api/limits.ts';
import { useCommands } from '../../lib/commands.ts';
import { remember, remembered } from '../../lib/remembered.ts';
import { useStore } from '../../lib/store.ts';
import type { Documents } from '../../notes/documents.ts';
import { useDocuments } from '../../notes/use-documents.tsx';
import {
  type Action,
  useActions,
  useForbiddenBy,
  useLanguageSettings,
  useModelHost,
} from '../../resources/language.ts';
import { writeAbout } from '../../resources/language-jobs.ts';
import { type OpenNote, useNote } from '../../resources/notes.ts';
import { useSession } from '../../resources/session.ts';
import { languageStrings as texts } from '../../strings/language.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { wantedAction } from './wanted-action.ts';

interface Props {
  noteId: string;
  /** Called when a text about the note is on its way. */
  onBegun(): void;
}

/** Offers the actions of the language model for a note, and carries out the chosen one. */
export function WriteAbout({ noteId, onBegun }: Props) {
  const actions = useActions().data ?? [];
  const isForbidden = useForbiddenBy() !== undefined;
  const settings = useLanguageSettings();
  const where = useWhereTold();
  const wanted = useStore(wantedAction);
  const action = wanted?.noteId === noteId ? actions.find(({ id }) => id === wanted.actionId) : undefined;
  const documents = useDocuments();
  const note = useNote(noteId).data;
  const begin = useAction(
    async ({ action, language }: { action: Action; language?: string }) => {
      await untilSaved(documents, noteId);
      await writeAbout(noteId, { action: action.id, ...(language ? { language } : {}) });
    },
    (_begun, { action }) => action.output !== 'title' && onBegun(),
  );
  useCommands(
    (isForbidden ? [] : actions).map(({ id, name }) => ({
      label: texts.write(name),
      run: () => wantedAction.set({ noteId, actionId: id }),
    })),
  );
  const isLost = action !== undefined && note !== undefined && replacesMore(action, note);
  const mustAsk = action && (needsLanguage(action) || isLost || !where.isTold);
  const isReady = action && !mustAsk && !settings.isPending;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each choice
  useEffect(() => {
    if (!action || !isReady) return;
    wantedAction.set(undefined);
    begin.mutate({ action });
  }, [action, isReady]);
  if (!mustAsk || settings.isPending) return null;
  return (
    <Begin
      action={action}
      isLost={isLost}
      where={where}
      onClose={() => wantedAction.set(undefined)}
      onBegin={(language) => {
        wantedAction.set(undefined);
        where.remember();
        begin.mutate({ action, language });
      }}
    />
  );
}

const needsLanguage = ({ id, language }: Action) => id === 'translate' && language === null;

/** Text by another action or by a person, and ticked tasks, are more than the action writes again. */
const replacesMore = (
  { id, output }: Action,
  { enhanced_content: text, enhancement_template_id: by }: OpenNote,
) => output === 'replace' && text !== null && (by !== id || /^\s*[-*+] \[x\]/im.test(text));

/** The model reads what the server has, so what was just typed must be there first. */
async function untilSaved({ unsaved }: Documents, noteId: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const find = () => unsaved.get().find(({ id, isAside }) => id === noteId && !isAside);
  function look(): void {
    const text = find();
    if (!text) resolve();
    else if (text.error !== undefined || text.phase === 'conflict')
      reject(text.error ?? new Error('conflict'));
  }
  const stop = unsaved.subscribe(look);
  find()?.document.save();
  look();
  await promise.finally(stop);
}

interface BeginProps {
  action: Action;
  isLost: boolean;
  where: ReturnType<typeof useWhereTold>;
  onClose(): void;
  onBegin(language: string): void;
}

/** Asks for what is missing, and says the first time where the text goes. */
function Begin({ action, isLost, where, onClose, onBegin }: BeginProps) {
  return (
    <FormDialog
      title={texts.write(action.name)}
      action={isLost ? texts.replace : texts.start}
      save={async (typed) => onBegin(typed('language'))}
      onClose={onClose}
    >
      {isLost && (
        <Notice tone="warning" title={texts.replaces}>
          <p>{texts.replacesDetail}</p>
        </Notice>
      )}
      {!where.isTold && (
        <Notice title={where.host === undefined ? texts.goesToUnknown : texts.goesTo(where.host)}>
          <p>{texts.goesToDetail}</p>
        </Notice>
      )}
      {needsLanguage(action) && (
        <TextField name="language" label={texts.into} required autoFocus maxLength={maxLanguageLength} />
      )}
    </FormDialog>
  );
}

/** Whether this person was told in this browser where texts go. Another host is told again. */
function useWhereTold() {
  const host = useModelHost();
  const key = `language-told ${useSession().data?.user_id}`;
  const [told, setTold] = useState(() => remembered(key));
  return {
    host,
    isTold: told === (host ?? ''),
    remember() {
      setTold(host ?? '');
      remember(key, host ?? '');
    },
  };
}
