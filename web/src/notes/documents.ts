import type { QueryClient } from '@tanstack/react-query';
import { after } from '../lib/after.ts';
import { onReachable } from '../lib/connection.ts';
import { randomId } from '../lib/random-id.ts';
import { createStore } from '../lib/store.ts';
import { fetchNote, type Note } from '../resources/notes.ts';
import { type Doc, newDoc, recovered } from './doc.ts';
import { isClean } from './document.ts';
import { type Entry, eachLeft, forget, keep, openJournal, replaces } from './journal.ts';
import { NoteDocument } from './note-document.ts';
import { newSession } from './sessions.ts';
import { hear } from './tabs.ts';

/** The documents of this page. A note has one, so that no two of them save the same text. */
let documents: readonly NoteDocument[] = [];
let person: string | undefined;

/** A new note that the server does not have yet. */
export interface UnsavedNote {
  key: string;
  title: string;
  content: string;
  spaceId: string | undefined;
}
export const unsavedNotes = createStore<readonly UnsavedNote[]>([]);

interface Opening {
  /** The id of the note; for a new note a random one. */
  key: string;
  note?: Note | undefined;
  folderId?: string | undefined;
  spaceId?: string | undefined;
}

/** The document of a note. Each editor that shows it says so with `opened`. */
export function documentOf(client: QueryClient, { key, note, ...place }: Opening): NoteDocument {
  const known = shown(key, note?.id ?? null);
  return known ?? add(client, newDoc({ key, session: newSession(), note, ...place }));
}

/** The result says that the editor is closed: what is not saved yet is saved. */
export function opened(document: NoteDocument): () => void {
  document.openings += 1;
  if (!documents.includes(document)) documents = [...documents, document];
  document.save();
  return () => {
    document.openings -= 1;
    document.save();
    settle(document);
  };
}

/** Whether this page has a text of the note that the server does not have. */
export const hasUnsavedText = (noteId: string) =>
  documents.some(({ doc }) => doc.id === noteId && !isClean(doc));

/** The note is gone. Its text becomes a new note, whose key is the result. */
export function saveAsNew(client: QueryClient, document: NoteDocument): string {
  const { mine, folderId, spaceId } = document.doc;
  const copy = add(client, newDoc({ key: randomId(), session: newSession(), folderId, spaceId }));
  copy.edit({ title: mine.title, content: mine.content });
  copy.save();
  documents = documents.filter((one) => one !== document);
  forget(document.doc);
  return copy.key;
}

const shown = (key: string, id: string | null) =>
  documents.find((one) => !one.isAside && (one.key === key || (id !== null && one.doc.id === id)));

function add(client: QueryClient, doc: Doc, isAside = false): NoteDocument {
  const owner = {
    onChange: settle,
    onFree: () => void eachLeft((entry) => recover(client, entry)),
    onFound: (entry: Entry) => recover(client, entry),
  };
  const document = new NoteDocument(client, doc, owner, isAside);
  documents = [...documents, document];
  return document;
}

/** A document that nobody shows is let go of when the server has its text. */
function settle(document: NoteDocument): void {
  if (document.isDone) documents = documents.filter((one) => one !== document);
  unsavedNotes.set(
    documents.flatMap(({ doc: { key, id, mine, spaceId }, isDone, isAside }) =>
      id !== null || isDone || isAside || `${mine.title}${mine.content}`.trim() === ''
        ? []
        : [{ key, title: mine.title, content: mine.content, spaceId }],
    ),
  );
}

/** Reads what earlier visits could not save, and goes on saving it. A text that another page still writes stays there until it is closed. */
export async function startDocuments(client: QueryClient, userId: string): Promise<void> {
  if (person !== userId) documents = [];
  person = userId;
  openJournal(userId);
  // A browser whose storage hangs must not keep the notes away.
  await Promise.race([eachLeft((entry) => recover(client, entry)), after(longestReadMs)]);
}

const longestReadMs = 5_000;

/** Goes on with a text that was left; beside the text that this page has, if it has one. */
async function recover(client: QueryClient, entry: Entry): Promise<void> {
  const isAside = shown(entry.doc.key, entry.doc.id) !== undefined;
  const document = add(client, recovered(entry.doc, newSession()), isAside);
  replaces(document.doc, entry);
  await keep(document.doc, true);
  settle(document);
  document.save();
  const { id, base } = document.doc;
  // A note that is gone stays as it is here; its editor says so.
  if (id && !base)
    void fetchNote(id).then(
      (note) => document.adopt(note),
      () => {},
    );
}

/** Somebody else is signed in. What is not sent stays in this browser for its writer, and must not go to another account. */
export function leaveDocuments(): void {
  for (const document of documents) document.leave();
  documents = [];
}

const hideAll = () => {
  for (const document of documents) document.hide();
};
window.addEventListener('pagehide', hideAll);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') hideAll();
});
onReachable(() => {
  for (const document of documents) document.save();
});
hear((message) => {
  for (const document of documents) if (document.name === message.key) void document.hear(message);
});
