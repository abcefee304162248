import { useMutation } from '@tanstack/react-query';
import { type ComponentProps, useDeferredValue, useEffect, useRef, useState } from 'react';
import { StenoError } from '../../api/errors.ts';
import { newSession } from '../../notes/sessions.ts';
import { useActions, useForbiddenBy } from '../../resources/language.ts';
import { usePartial } from '../../resources/language-jobs.ts';
import { changeNote, knownNote, type Note, type OpenNote, showSaved } from '../../resources/notes.ts';
import { commonStrings } from '../../strings/common.ts';
import { languageStrings as texts } from '../../strings/language.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-button.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { Markdown } from './markdown.tsx';
import { toggleTask } from './source-position.ts';
import { useDone } from './use-done.ts';
import { usePlayback } from './use-playback.ts';
import { isVoiceNote } from './voice.tsx';
import { wantedAction } from './wanted-action.ts';
import styles from './writing.module.css';

/** What a language model wrote about the note, and what it is writing. Times play, tasks can be ticked. */
export function Enhanced({ note, query }: { note: OpenNote; query: string }) {
  const partial = usePartial(note.id);
  const coming = partial && partial.job.action_id !== 'title' ? partial : undefined;
  const text = useDeferredValue(coming?.text ?? '');
  return (
    <>
      {coming && text !== '' && (
        <section className={styles.enhanced} aria-label={texts.writing(coming.job.action_name)} aria-busy>
          <Markdown text={text} query="" />
        </section>
      )}
      {note.enhanced_content && <Written note={note} text={note.enhanced_content} query={query} />}
    </>
  );
}

function Written({ note, text, query }: { note: OpenNote; text: string; query: string }) {
  const change = useChange(note.id);
  const isOutdated = useIsOutdated(note);
  const isByModel = note.enhancement_template_id !== null;
  const title = isByModel ? texts.section : texts.other;
  const Text = isVoiceNote(note) ? PlayableText : Markdown;
  async function copy() {
    if (await copyText(text)) toast({ title: commonStrings.copied });
  }
  return (
    <section className={styles.enhanced} aria-label={title}>
      <header>
        <h3>{title}</h3>
        <IconButton icon="copy" label={texts.copy} onClick={copy} />
        <IconButton
          icon="trash"
          label={texts.remove}
          onClick={() => change.mutate(() => null, { onSuccess: () => toast({ title: texts.removed }) })}
        />
      </header>
      {isOutdated && <Outdated note={note} />}
      <Text
        text={text}
        query={query}
        {...(isVoiceNote(note) ? { noteId: note.id } : {})}
        onTick={(line) => {
          const ticked = lineOf(text, line);
          // The same line, or none: another person may have changed the text.
          change.mutate((now) => (lineOf(now, line) === ticked ? toggleTask(now, line) : undefined));
        }}
      />
    </section>
  );
}

const lineOf = (text: string, line: number) => text.split('\n')[line];

function PlayableText({ noteId = '', ...props }: ComponentProps<typeof Markdown> & { noteId?: string }) {
  const playback = usePlayback(useDone(noteId));
  return <Markdown {...props} onTime={playback && ((seconds) => playback.playFrom(seconds))} />;
}

/** The text is older than what the note says now. */
function Outdated({ note: { id: noteId, enhancement_template_id: actionId } }: { note: OpenNote }) {
  const isForbidden = useForbiddenBy() !== undefined;
  const action = useActions().data?.find(({ id }) => id === actionId);
  return (
    <p className={styles.outdated}>
      <span>{texts.outdated}</span>
      {action && !isForbidden && (
        <Button look="quiet" onClick={() => wantedAction.set({ noteId, actionId: action.id })}>
          {texts.again}
        </Button>
      )}
    </p>
  );
}

type Change = (text: string) => string | null | undefined;

/** Changes the text, one change after the other. What another person has written meanwhile stays. */
function useChange(noteId: string) {
  // Ticks of one visit leave one revision.
  const [session] = useState(newSession);
  const seq = useRef(0);
  function save(note: Note, change: Change): Promise<Note> {
    const text = change(note.enhanced_content ?? '');
    if (text === undefined) throw new TypeError(texts.notTicked);
    seq.current += 1;
    const edit = { session, seq: seq.current };
    return changeNote(noteId, { enhanced_content: text, base_revision: note.revision, edit });
  }
  return useMutation({
    scope: { id: `enhanced ${noteId}` },
    async mutationFn(change: Change) {
      const note = knownNote(noteId);
      if (!note) throw new TypeError(texts.notTicked);
      try {
        return await save(note, change);
      } catch (error) {
        const isStale = error instanceof StenoError && error.code === 'note_version_conflict';
        if (!isStale) throw error;
        // The contract: with `base_revision`, a conflict has the current note.
        const theirs = error.data as Note;
        showSaved(theirs);
        return save(theirs, change);
      }
    },
    onSuccess: (saved) => showSaved(saved),
    onError: (error) =>
      error instanceof TypeError ? toast({ title: error.message, tone: 'danger' }) : toastError(error),
  });
}

/** Whether the note says something else now. Browsers have hashes only over HTTPS and on localhost; elsewhere it is not said. */
function useIsOutdated({ content, enhanced_at_content_hash: hash }: OpenNote): boolean {
  const [now, setNow] = useState<string>();
  useEffect(() => {
    let isWanted = true;
    void crypto.subtle?.digest('SHA-256', new TextEncoder().encode(content)).then((bytes) => {
      const hex = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
      if (isWanted) setNow(hex);
    });
    return () => {
      isWanted = false;
    };
  }, [content]);
  return hash !== null && now !== undefined && now !== hash;
}
