import type { Doc, Entry, StoredNote, Written } from './doc.ts';

/** What the documents of a page take of the world around them. A test gives another world. */
export interface Shell {
  /** Whose texts they are. A page has one person. */
  person: string;
  api: NotesApi;
  storage: TextStorage;
  locks: Locks;
  channel: Channel;
  clock: Clock;
  /** No two are the same, in no browser. */
  newId(): string;
}

export interface Save extends Pick<Doc, 'id' | 'key' | 'folderId' | 'spaceId'> {
  text: Written;
  baseRevision: number | undefined;
  keepsContent: boolean;
}

export type Answer =
  /** The server has this note. It need not have the text that was sent. */
  | { type: 'answered'; note: StoredNote }
  /** The session is over, or another person is signed in. The text is not to blame. */
  | { type: 'signedOut'; error: unknown }
  /** The same text would be refused again; in another place perhaps not. */
  | { type: 'refused'; error: unknown; isPlaceGone: boolean }
  | { type: 'lost'; error: unknown; waitMs?: number | undefined };

export interface NotesApi {
  save(save: Save): Promise<Answer>;
  /** `refused`: the note is gone. */
  read(id: string): Promise<Answer>;
  /** A save was answered with this note. */
  show(note: StoredNote, isNew: boolean): void;
  /** A save was answered with "you are signed out". */
  signedOut(): void;
}

/** Nothing here raises: a storage that is blocked or full keeps nothing. */
export interface TextStorage {
  /** Whether it is kept. */
  keep(key: string, value: unknown): Promise<boolean>;
  forget(key: string): Promise<unknown>;
  kept<Value>(prefix: string): Promise<Value[]>;
  /** Within the call, for a page that may end before `keep` does. */
  keepTail(key: string, value: string): unknown;
  forgetTail(key: string): unknown;
  tails(prefix: string): [key: string, value: string][];
}

export interface Locks {
  /** Until the page ends. */
  hold(name: string): () => void;
  /** Runs `work` when no page has it any longer, in one page at a time. */
  whenFree(name: string, work?: () => Promise<void>): Promise<void>;
  /** The result gives it back. Undefined while another page has it. `onLost` is called when another page steals it. */
  claim(name: string, steal: boolean, onLost: () => void): Promise<(() => void) | undefined>;
}

/** What the pages of one browser tell each other about a note. */
export type Message = { person: string; key: string } & News;
export type News =
  /** Another page wants to write. */
  | { type: 'wanted' }
  /** The page that wrote stops, and this is where it was. */
  | { type: 'handed'; entry: Entry }
  /** What is being written. */
  | { type: 'text'; mine: Written };

export interface Channel {
  tell(message: Message): void;
  hear(listener: (message: Message) => void): () => void;
}

export interface Clock {
  now(): number;
  /** The result calls it off. */
  after(ms: number, work: () => void): () => void;
}

export function pause({ after }: Clock, ms: number): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  after(ms, () => resolve(undefined));
  return promise;
}
