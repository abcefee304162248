import { createStore } from '../lib/create-store.ts';
import { type Entry, newDoc, recovered, type StoredNote } from './doc.ts';
import { isClean, type Phase, phaseOf } from './document.ts';
import { createJournal } from './journal.ts';
import { NoteDocument } from './note-document.ts';
import { pause, type Shell } from './shell.ts';

/** A text that the server does not have yet. */
export interface UnsavedText {
  key: string;
  /** Null for a new note. */
  id: string | null;
  title: string;
  content: string;
  folderId: string | undefined;
  spaceId: string | undefined;
  phase: Phase;
  error: unknown;
  /** Its folder or space is gone, so it goes to the person's own notes. */
  lostPlace: boolean;
  /** A second text of a note that is open or unsaved too. */
  isAside: boolean;
  document: NoteDocument;
}

interface Opening {
  /** The id of the note; for a new note a random one. */
  key: string;
  note?: StoredNote | undefined;
  folderId?: string | undefined;
  spaceId?: string | undefined;
}

/** It does not go on by itself within a moment, as a pause of typing does. */
export const isHeldUp = ({ phase, error }: UnsavedText) => error !== undefined || phase === 'conflict';

/** No screen shows it, and the server has its text. */
const isDone = ({ doc, openings }: NoteDocument) =>
  openings === 0 && doc.flying.length === 0 && ['clean', 'new'].includes(phaseOf(doc));

/** A storage that hangs must not keep the notes away. */
const longestReadMs = 5_000;

export type Documents = ReturnType<typeof createDocuments>;

/** The documents of one page and one person. A note has one, so that no two of them save the same text. */
export function createDocuments(shell: Shell) {
  const { person, channel, clock, newId } = shell;
  const journal = createJournal(shell);
  const unsaved = createStore<readonly UnsavedText[]>([]);
  let documents: readonly NoteDocument[] = [];
  let started: Promise<unknown> | undefined;
  let isOver = false;

  const shown = (key: string, id: string | null) =>
    documents.find((one) => !one.isAside && (one.key === key || (id !== null && one.doc.id === id)));

  function add(doc: NoteDocument['doc'], isAside = false): NoteDocument {
    const owner = {
      isOver: () => isOver,
      onChange: () => settle(document),
      onFree: () => void recoverLeft(),
      onFound: recover,
    };
    const document: NoteDocument = new NoteDocument(shell, journal, doc, owner, isAside);
    documents = [...documents, document];
    return document;
  }

  /** A document that no screen shows is closed when the server has its text. */
  function settle(document: NoteDocument): void {
    if (isDone(document)) documents = documents.filter((one) => one !== document);
    const now = documents.flatMap(unsavedOf);
    const before = unsaved.get();
    if (now.length !== before.length || now.some((one, at) => !isSameText(one, before[at]))) unsaved.set(now);
  }

  /** Goes on with a text that was left; beside the text that this page has, if it has one. */
  async function recover(entry: Entry): Promise<void> {
    if (isOver) return;
    const isAside = shown(entry.doc.key, entry.doc.id) !== undefined;
    const document = add(recovered(entry.doc, newId()), isAside);
    journal.replaces(document.doc, entry);
    await journal.keep(document.doc, true);
    settle(document);
    document.save();
  }
  const recoverLeft = () => journal.eachLeft(recover);

  const all = (act: (document: NoteDocument) => void) => {
    for (const document of documents) act(document);
  };
  const stopHearing = channel.hear((message) => {
    if (message.person === person)
      all((document) => document.name === message.key && void document.hear(message));
  });

  return {
    person,
    /** Everything that the server does not have. */
    unsaved,

    /**
     * Reads what earlier visits could not save, and goes on saving it. A text that another page still writes stays there until
     * that page is closed.
     */
    start(): Promise<unknown> {
      started ??= recoverLeft().finally(() => {
        started = undefined;
      });
      return Promise.race([started, pause(clock, longestReadMs)]);
    },

    /** The document of a note. Each editor that shows it says so with `opened`. */
    documentOf: ({ key, note, ...place }: Opening): NoteDocument =>
      shown(key, note?.id ?? null) ?? add(newDoc({ key, session: newId(), note, ...place })),

    /** The result says that the editor is closed: what is not saved yet is saved. */
    opened(document: NoteDocument): () => void {
      document.openings += 1;
      if (!documents.includes(document)) documents = [...documents, document];
      document.save();
      settle(document);
      return () => {
        document.openings -= 1;
        document.save();
        settle(document);
      };
    },

    /** Whether this page has a text of the note that the server does not have. */
    hasUnsaved: (noteId: string) => documents.some(({ doc }) => doc.id === noteId && !isClean(doc)),

    /** The text becomes a new note, whose key is the result. Its note is again what the server had. */
    saveAsNew(document: NoteDocument): string {
      const { mine, folderId, spaceId } = document.doc;
      const copy = add(newDoc({ key: newId(), session: newId(), folderId, spaceId }));
      copy.edit({ title: mine.title, content: mine.content });
      copy.save();
      document.discard();
      return copy.key;
    },

    hide: () => all((document) => document.hide()),
    /** The server answers again, or the person is signed in again. */
    wake: () => all((document) => document.save()),

    /** The page is over. What is not sent stays in this browser for its writer, unless they gave it up. */
    leave(keeps: boolean): void {
      all((document) => document.leave(keeps));
      isOver = true;
      journal.leave();
      stopHearing();
      documents = [];
      unsaved.set([]);
    },
  };
}

function unsavedOf(document: NoteDocument): UnsavedText[] {
  const { doc, isAside } = document;
  const { key, id, mine, folderId, spaceId, problem, lostPlace } = doc;
  const isBlankNew = id === null && doc.ahead.length === 0 && `${mine.title}${mine.content}`.trim() === '';
  if (isClean(doc) || isBlankNew) return [];
  const { title, content } = mine;
  const phase = phaseOf(doc);
  const error = problem?.error;
  return [{ key, id, title, content, folderId, spaceId, phase, error, lostPlace, isAside, document }];
}

function isSameText(one: UnsavedText, other: UnsavedText | undefined): boolean {
  if (other === undefined) return false;
  const { title, content, phase, error, id, document } = other;
  return (
    document === one.document &&
    id === one.id &&
    phase === one.phase &&
    error === one.error &&
    title === one.title &&
    content === one.content
  );
}
