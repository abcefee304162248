import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { maxLanguageLength } from '../../api/limits.ts';
import { useCommands } from '../../lib/commands.ts';
import { useStore } from '../../lib/store.ts';
import {
  type Action,
  useActions,
  useForbiddenBy,
  useLanguageSettings,
  useModelHost,
} from '../../resources/language.ts';
import { writeAbout } from '../../resources/language-jobs.ts';
import { useSession } from '../../resources/session.ts';
import { commonStrings } from '../../strings/common.ts';
import { languageStrings as texts } from '../../strings/language.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/states.tsx';
import { toastError } from '../../ui/toast.tsx';
import { wantedAction } from './wanted-action.ts';

interface Props {
  noteId: string;
  /** Called when a text about the note is on its way. */
  onBegun(): void;
}

/** Offers the actions of the language model for a note, and carries out the chosen one. */
export function WriteAbout({ noteId, onBegun }: Props) {
  const client = useQueryClient();
  const actions = useActions().data ?? [];
  const isForbidden = useForbiddenBy() !== undefined;
  const settings = useLanguageSettings();
  const where = useWhereTold();
  const wanted = useStore(wantedAction);
  const action = wanted?.noteId === noteId ? actions.find(({ id }) => id === wanted.actionId) : undefined;
  const begin = useMutation({
    mutationFn: ({ action, language }: { action: Action; language?: string }) =>
      writeAbout(client, noteId, { action: action.id, ...(language ? { language } : {}) }),
    onSuccess: (_data, { action }) => action.output !== 'title' && onBegun(),
    onError: toastError,
  });
  useCommands(
    (isForbidden ? [] : actions).map(({ id, name }) => ({
      label: texts.write(name),
      run: () => wantedAction.set({ noteId, actionId: id }),
    })),
  );
  const mustAsk = action && (needsLanguage(action) || !where.isTold);
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

interface BeginProps {
  action: Action;
  where: ReturnType<typeof useWhereTold>;
  onClose(): void;
  onBegin(language: string): void;
}

/** Asks for what is missing, and says the first time where the text goes. */
function Begin({ action, where, onClose, onBegin }: BeginProps) {
  const [language, setLanguage] = useState('');
  return (
    <Dialog
      open
      onClose={onClose}
      title={texts.write(action.name)}
      onSubmit={() => onBegin(language.trim())}
      footer={
        <>
          <Button onClick={onClose}>{commonStrings.cancel}</Button>
          <Button look="primary" type="submit">
            {texts.start}
          </Button>
        </>
      }
    >
      {!where.isTold && (
        <Notice title={where.host === undefined ? texts.goesToUnknown : texts.goesTo(where.host)}>
          <p>{texts.goesToDetail}</p>
        </Notice>
      )}
      {needsLanguage(action) && (
        <TextField
          label={texts.into}
          required
          autoFocus
          maxLength={maxLanguageLength}
          value={language}
          onChange={(event) => setLanguage(event.target.value)}
        />
      )}
    </Dialog>
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
      try {
        localStorage.setItem(key, host ?? '');
      } catch {
        // A browser that blocks storage tells it again.
      }
    },
  };
}

function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
