import { type Doc, type Entry, type StoredNote, textOf } from './doc.ts';
import { type Phase, phaseOf } from './document.ts';

/** What a screen shows of a document. */
export interface DocumentView {
  title: string;
  content: string;
  phase: Phase;
  error: unknown;
  /** Undefined until the server has the note. */
  noteId: string | undefined;
  /** The other text, while someone has to choose. */
  theirs: StoredNote | undefined;
  /** The note whose changes were merged into the text, for a moment. */
  merged: StoredNote | undefined;
  /** Another page of this browser writes the note. This one shows what is written there. */
  isElsewhere: boolean;
  /** The folder or space that the note was written in is gone. It is among the person's own notes. */
  lostPlace: boolean;
}

export const viewOf = (doc: Doc, merged?: StoredNote, isElsewhere = false): DocumentView => ({
  title: doc.mine.title,
  content: doc.mine.content,
  phase: phaseOf(doc),
  error: doc.problem?.error,
  noteId: doc.id ?? undefined,
  theirs: doc.theirs ? { ...doc.theirs, ...textOf(doc.theirs) } : undefined,
  merged,
  isElsewhere,
  lostPlace: doc.lostPlace,
});

/** What holds the documents of the page. */
export interface Owner {
  /** The page is over. */
  isOver(): boolean;
  onChange(): void;
  /** Another page wrote the note until now. It may have left a text. */
  onFree(): void;
  /** A text of the note that must reach the server beside this one. */
  onFound(entry: Entry): Promise<void>;
}
