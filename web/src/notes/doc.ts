import type { Text } from './merge.ts';

/** Names one text: the opening of a note in which it was written, and its number there. No two texts have the same. */
export interface Edit {
  session: string;
  seq: number;
}

export interface Written extends Text, Edit {}

/** A note as the server has it. */
export interface StoredNote {
  id: string;
  revision: number;
  title: string | null;
  content: string;
  /** No person has written in it: the server answers with the text of the transcript. */
  content_is_transcript?: boolean;
  edit: Edit | null;
  /** The id of the person who wrote the text last. */
  edited_by: string | null;
  /** The name of their key, if a program wrote it. */
  edited_with: string | null;
  edited_at: string | null;
}

/** What stays in the browser until the server has the text. */
export interface KeptDoc {
  /** The id that this browser gave the note; the note's own id if it was there before. */
  key: string;
  /** Null until the server has the note. */
  id: string | null;
  folderId: string | undefined;
  spaceId: string | undefined;
  /** The last text of the server that `mine` is made from. */
  base: (Text & { revision: number }) | null;
  /** What is on the screen. */
  mine: Written;
  /** The text that the server acknowledged; the note is clean when it is `mine`. */
  stored: Edit | null;
  /** Must reach the server before `mine`, one by one: the text that creates the note, those that become versions. */
  ahead: Written[];
  /** Texts of earlier openings that `mine` goes on from. */
  earlier: Written[];
  /** Another text for the same place. Someone has to decide. */
  theirs: StoredNote | null;
}

export interface Doc extends KeptDoc {
  /** Of this opening of the note. */
  session: string;
  /** Sent, and not answered yet. */
  flying: Edit[];
  /** A newer note that came while a save was running. */
  later: StoredNote | null;
  /** Why the last save failed, and whether it is pointless to try again. */
  problem: { error: unknown; isRefusal: boolean } | undefined;
  failures: number;
  /** The folder or space that it was written in is gone. */
  lostPlace: boolean;
  unsavedSince: number | undefined;
}

/** A text that the server may not have, in the browser's storage. */
export interface Entry {
  /** Its place in the storage. */
  at: string;
  /** The page that writes it. */
  page: string;
  /** When it was kept. Versions before this one did not say so. */
  time?: number;
  doc: KeptDoc;
}

interface Start {
  key: string;
  session: string;
  note?: StoredNote | undefined;
  folderId?: string | undefined;
  spaceId?: string | undefined;
}

/** A document of a note, or of a new one. */
export function newDoc({ key, session, note, ...place }: Start): Doc {
  const mine = { ...(note ? textOf(note) : { title: '', content: '' }), session, seq: 0 };
  return withoutWork(session, {
    key,
    id: note?.id ?? null,
    folderId: place.folderId,
    spaceId: place.spaceId,
    base: note ? { ...textOf(note), revision: note.revision } : null,
    mine,
    stored: pairOf(mine),
    ahead: [],
    earlier: [],
    theirs: null,
  });
}

/** The same note with a text of the server, and nothing of its own. */
export function freshDoc(doc: Doc, session: string, base: Doc['base']): Doc {
  const { key, id, folderId, spaceId } = doc;
  const mine = { title: base?.title ?? '', content: base?.content ?? '', session, seq: 0 };
  return { ...newDoc({ key, session, folderId, spaceId }), id, base, mine, stored: pairOf(mine) };
}

/** A document that another page left behind. What is written from now on has a session of its own. */
export const recovered = (kept: KeptDoc, session: string): Doc => withoutWork(session, kept);

const withoutWork = (session: string, kept: KeptDoc): Doc => ({
  ...kept,
  session,
  flying: [],
  later: null,
  problem: undefined,
  failures: 0,
  lostPlace: false,
  unsavedSince: undefined,
});

export function keptOf(doc: Doc): KeptDoc {
  const { key, id, folderId, spaceId, base, mine, stored, ahead, earlier, theirs } = doc;
  return { key, id, folderId, spaceId, base, mine, stored, ahead, earlier, theirs };
}

/** What people have written in the note. */
export const textOf = ({
  title,
  content,
  content_is_transcript: isTranscript = false,
}: Pick<StoredNote, 'title' | 'content' | 'content_is_transcript'>): Text => ({
  title: title ?? '',
  content: isTranscript ? '' : content,
});
export const pairOf = ({ session, seq }: Edit): Edit => ({ session, seq });
