import type { QueryClient } from '@tanstack/react-query';
import { StenoError } from '../api/errors.ts';
import { after } from '../lib/after.ts';
import { createStore, type Store } from '../lib/store.ts';
import { changeNote, createNote, fetchNote, type Note, showSaved } from '../resources/notes.ts';
import { type Doc, type Edit, newDoc, recovered, type StoredNote, textOf, type Written } from './doc.ts';
import { type Effect, type Event, isClean, isSame, type Phase, phaseOf, step } from './document.ts';
import * as journal from './journal.ts';
import { newSession } from './sessions.ts';
import { claim, hearOnce, type Message, tell, whenFree } from './tabs.ts';

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
}

interface Owner {
  onChange(document: NoteDocument): void;
  /** Another page wrote the note until now. It may have left a text. */
  onFree(): void;
  /** A text of the note that must reach the server beside this one. */
  onFound(entry: journal.Entry): Promise<void>;
}

/** The only owner of a note's text in this page. It runs the effects of `step`. */
export class NoteDocument {
  readonly view: Store<DocumentView>;
  readonly key: string;
  /** Nobody sees it: a second text that was left of the note. It joins the first one on the server. */
  readonly isAside: boolean;
  doc: Doc;
  /** How many editors show it. */
  openings = 0;
  readonly #client: QueryClient;
  readonly #owner: Owner;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ending = Promise.withResolvers<void>();
  #release: (() => void) | undefined;
  #wantsToWrite = false;
  #isElsewhere = false;
  #hasLeft = false;
  #merged: StoredNote | undefined;

  constructor(client: QueryClient, doc: Doc, owner: Owner, isAside: boolean) {
    this.#client = client;
    this.#owner = owner;
    this.isAside = isAside;
    this.key = doc.key;
    this.doc = doc;
    this.view = createStore(this.#viewed());
  }

  edit(change: { title?: string; content?: string }): void {
    this.#merged = undefined;
    this.take({ type: 'edited', ...change, at: Date.now() });
    tell({ type: 'text', key: this.name, title: this.doc.mine.title, content: this.doc.mine.content });
  }

  /** Takes over a newer note from the server. */
  adopt(note: Note): void {
    if (!this.#isElsewhere) this.take({ type: 'remote', note });
  }

  save = () => this.take({ type: 'tick' });
  retry = () => this.take({ type: 'retry' });
  resolve = (keep: 'mine' | 'theirs' | 'both') => this.take({ type: 'resolve', keep, session: newSession() });

  /** The page may end now. First what needs no time, then what may still finish. */
  hide(): void {
    if (this.#isElsewhere) return;
    if (!isClean(this.doc)) journal.keepBeforeEnd(this.doc);
    this.#ending.resolve();
    this.#ending = Promise.withResolvers();
    this.take({ type: 'hidden' });
  }

  /** Sends nothing from now on. */
  leave(): void {
    this.#hasLeft = true;
    this.hide();
  }

  take(event: Event): void {
    const { doc, effects } = step(this.doc, event);
    // After a decision the text goes on in a new session. Found beside it, the text before would come back instead of it.
    if (doc.session !== this.doc.session) journal.replaces(doc, { at: journal.placeOf(this.doc) });
    this.doc = doc;
    this.#show();
    void this.#run(effects, event.type === 'hidden');
    this.#owner.onChange(this);
    if (this.isAside && doc.theirs) this.resolve('both');
  }

  /** The note's id, by which other pages know it. */
  get name(): string {
    return this.doc.id ?? this.key;
  }

  get isDone(): boolean {
    const phase = phaseOf(this.doc);
    return this.openings === 0 && this.doc.flying.length === 0 && (phase === 'clean' || phase === 'new');
  }

  async #run(effects: readonly Effect[], isEnding: boolean): Promise<void> {
    const { mine } = this.doc;
    for (const effect of effects)
      switch (effect.type) {
        case 'persist': {
          const kept = journal.keep(this.doc, effect.now);
          // A send follows: the text must be safe before. A page that ends cannot wait.
          if (effect.now && !isEnding) await Promise.race([kept, after(longestKeepMs), this.#ending.promise]);
          break;
        }
        case 'forget':
          // Not what was written while another effect took its time.
          if (this.doc.mine === mine) journal.forget(this.doc);
          break;
        case 'wake':
          clearTimeout(this.#timer);
          this.#timer = setTimeout(this.save, effect.ms);
          break;
        case 'merged':
          this.#merged = effect.note;
          this.#show();
          break;
        case 'send':
          if (!this.#hasLeft) void this.#send(effect);
      }
  }

  async #send(sending: Extract<Effect, { type: 'send' }>): Promise<void> {
    const { text } = sending;
    const isNew = this.doc.id === null;
    try {
      const note = await this.#store(sending);
      this.#answered(text, note, isNew);
    } catch (error) {
      const stale =
        error instanceof StenoError && error.code === 'note_version_conflict' ? error.data : undefined;
      // The contract: with `base_revision`, a conflict has the current note.
      if (stale) return this.#answered(text, stale as Note, isNew);
      const isRefusal =
        error instanceof StenoError && error.status < 500 && ![409, 429].includes(error.status);
      if (!this.#isFlying(text)) return;
      if (isRefusal) return this.take({ type: 'refused', sent: text, error });
      const seconds = error instanceof StenoError ? error.retryAfter : undefined;
      this.take({ type: 'lost', sent: text, error, waitMs: seconds && seconds * 1000 });
    }
  }

  #store({ text, baseRevision: base, keepsContent }: Extract<Effect, { type: 'send' }>): Promise<Note> {
    const { id, key, folderId, spaceId } = this.doc;
    const { title, content, session, seq } = text;
    const body = { title: title.trim() === '' ? null : title, edit: { session, seq } };
    // The page may be closed before the answer. Browsers then send at most 64 kB.
    const options = { keepalive: new Blob([JSON.stringify({ ...body, content })]).size < maxKeepaliveBytes };
    if (id !== null) {
      const changed = keepsContent ? body : { ...body, content };
      return changeNote(id, { ...changed, ...(base === undefined ? {} : { base_revision: base }) }, options);
    }
    const place = { ...(folderId ? { folder_id: folderId } : {}), ...(spaceId ? { space_id: spaceId } : {}) };
    return createNote({ ...body, content, client_note_id: key, note_type: 'personal', ...place }, options);
  }

  #answered(sent: Written, note: Note, isNew: boolean): void {
    if (this.#isFlying(sent)) this.take({ type: 'answered', sent, note });
    showSaved(this.#client, note, isNew);
  }

  /** Not if another page goes on with the text meanwhile. */
  #isFlying = (sent: Edit) => this.doc.flying.some((edit) => isSame(edit, sent));

  /** Only one page of a browser writes a note at a time. The result gives the right back. */
  write(): () => void {
    this.#wantsToWrite = true;
    void this.#claim(false);
    return () => {
      this.#wantsToWrite = false;
      this.#release?.();
      this.#release = undefined;
    };
  }

  /** Goes on with the text that another page has written so far. */
  async writeHere(): Promise<void> {
    const handed = hearOnce('handed', this.name, handOverMs);
    tell({ type: 'wanted', key: this.name });
    await handed;
    await this.#claim(true);
    const entry = await journal.findEntry(this.name);
    if (!entry) return;
    if (!isClean(this.doc)) return this.#owner.onFound(entry);
    this.doc = recovered(entry.doc, this.doc.session);
    journal.replaces(this.doc, entry);
    this.#show();
    this.save();
  }

  async #claim(steal: boolean): Promise<void> {
    if (this.#release) return;
    const { name } = this;
    const release = await claim(name, steal, () => {
      // Not if this page took it from itself.
      if (this.#release !== release) return;
      this.#yield();
      void this.#goOn();
    });
    // An earlier call of this page has it.
    if (this.#release) return release?.();
    this.#isElsewhere = release === undefined;
    if (this.#wantsToWrite) this.#release = release;
    else release?.();
    this.#show();
    if (this.#isElsewhere) void this.#goOn();
  }

  /** As soon as the other page is closed, or shows another note. */
  async #goOn(): Promise<void> {
    await whenFree(this.name);
    if (!this.#isElsewhere) return;
    this.#isElsewhere = false;
    if (this.#wantsToWrite) await this.#claim(false);
    this.#show();
    if (this.#isElsewhere) return;
    this.#owner.onFree();
    if (this.doc.id) await fetchNote(this.doc.id).then((note) => this.adopt(note), ignore);
  }

  /** Another page goes on with the text. */
  #yield(): void {
    this.#release = undefined;
    this.#isElsewhere = true;
    clearTimeout(this.#timer);
    const { key, id, mine, base } = this.doc;
    this.doc = { ...newDoc({ key, session: newSession() }), id, base, mine, stored: mine };
    this.#show();
  }

  /** What another page says about this note. */
  async hear(message: Message): Promise<void> {
    if (message.type === 'wanted' && this.#release) {
      if (!isClean(this.doc)) await journal.keep(this.doc, true);
      const release = this.#release;
      this.#yield();
      release();
      tell({ type: 'handed', key: message.key });
      // It takes the right to write now, if it is still there.
      setTimeout(() => void this.#goOn(), handOverMs);
    }
    if (message.type === 'text' && this.#isElsewhere) {
      const { title, content } = message;
      this.doc = { ...this.doc, mine: { ...this.doc.mine, title, content } };
      this.#show();
    }
  }

  #show(): void {
    this.view.set(this.#viewed());
  }

  #viewed(): DocumentView {
    const { doc } = this;
    return {
      title: doc.mine.title,
      content: doc.mine.content,
      phase: phaseOf(doc),
      error: doc.problem?.error,
      noteId: doc.id ?? undefined,
      theirs: doc.theirs ? { ...doc.theirs, ...textOf(doc.theirs) } : undefined,
      merged: this.#merged,
      isElsewhere: this.#isElsewhere,
    };
  }
}

/** A storage that does not answer must not keep the text from the server. */
const longestKeepMs = 300;
const handOverMs = 400;
/** The note is read again when it is shown again. */
const ignore = () => {};
const maxKeepaliveBytes = 60_000;
