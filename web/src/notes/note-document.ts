import { createStore, type Store } from '../lib/store.ts';
import { type Doc, type Entry, newDoc, pairOf, recovered, type StoredNote, textOf } from './doc.ts';
import { type Effect, type Event, isClean, isSame, type Phase, phaseOf, step } from './document.ts';
import type { Journal } from './journal.ts';
import { type Message, type News, pause, type Shell } from './shell.ts';

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

interface Owner {
  onChange(document: NoteDocument): void;
  /** Another page wrote the note until now. It may have left a text. */
  onFree(): void;
  /** A text of the note that must reach the server beside this one. */
  onFound(entry: Entry): Promise<void>;
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
  readonly #shell: Shell;
  readonly #journal: Journal;
  readonly #owner: Owner;
  #stopTimer = () => {};
  #ending = Promise.withResolvers<void>();
  #release: (() => void) | undefined;
  #handed: ((entry: Entry) => void) | undefined;
  #wantsToWrite = false;
  #isElsewhere = false;
  #isOver = false;
  #merged: StoredNote | undefined;

  constructor(shell: Shell, journal: Journal, doc: Doc, owner: Owner, isAside: boolean) {
    this.#shell = shell;
    this.#journal = journal;
    this.#owner = owner;
    this.isAside = isAside;
    this.key = doc.key;
    this.doc = doc;
    this.view = createStore(this.#viewed());
  }

  edit(change: { title?: string; content?: string }): void {
    this.#merged = undefined;
    this.take({ type: 'edited', ...change, at: this.#shell.clock.now() });
  }

  /** Takes over a newer note from the server. */
  adopt(note: StoredNote): void {
    if (!this.#isElsewhere) this.take({ type: 'remote', note });
  }

  save = () => this.take({ type: 'tick' });
  retry = () => this.take({ type: 'retry' });
  resolve = (keep: 'mine' | 'theirs' | 'both') =>
    this.take({ type: 'resolve', keep, session: this.#shell.newId() });

  /** The page may end now. First what needs no time, then what may still finish. */
  hide(): void {
    if (this.#isElsewhere || this.#isOver) return;
    if (!isClean(this.doc)) this.#journal.keepBeforeEnd(this.doc);
    this.#ending.resolve();
    this.#ending = Promise.withResolvers();
    this.take({ type: 'hidden' });
  }

  /** It is over: no timer, answer or write comes after this. */
  leave(keeps: boolean): void {
    if (keeps && !this.#isElsewhere && !isClean(this.doc)) {
      this.#journal.keepBeforeEnd(this.doc);
      void this.#journal.keep(this.doc, true);
    }
    this.#isOver = true;
    this.#stopTimer();
    this.#ending.resolve();
    this.#release?.();
  }

  /** What is not saved is given up, and the text is again what the server had. */
  discard(): void {
    this.#journal.forget(this.doc);
    this.#stopTimer();
    const { key, id, base, theirs, folderId, spaceId } = this.doc;
    const fresh = newDoc({ key, session: this.#shell.newId(), folderId, spaceId });
    const text = theirs ? { ...textOf(theirs), revision: theirs.revision } : base;
    const mine = { ...fresh.mine, title: text?.title ?? '', content: text?.content ?? '' };
    this.doc = { ...fresh, id, base: text, mine, stored: pairOf(mine) };
    this.#show();
    this.#owner.onChange(this);
  }

  take(event: Event): void {
    if (this.#isOver) return;
    const before = this.doc;
    const { doc, effects } = step(before, event);
    // After a decision the text goes on in a new session. Found beside it, the text before would come back instead of it.
    if (doc.session !== before.session) this.#journal.replaces(doc, { at: this.#journal.placeOf(before) });
    this.doc = doc;
    this.#show();
    void this.#run(effects, event.type === 'hidden');
    this.#owner.onChange(this);
    // Other pages know the note by the id that it has just got.
    if (before.id === null && doc.id !== null) this.#claimAgain();
    if (doc.mine !== before.mine && (this.#release || event.type === 'edited'))
      this.#tell({ type: 'text', mine: doc.mine });
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
    const { clock } = this.#shell;
    for (const effect of effects)
      switch (effect.type) {
        case 'persist': {
          const kept = this.#journal.keep(this.doc, effect.now);
          // A send follows: the text must be safe before. A page that ends cannot wait.
          if (effect.now && !isEnding)
            await Promise.race([kept, pause(clock, longestKeepMs), this.#ending.promise]);
          break;
        }
        case 'forget':
          // Not what was written while another effect took its time.
          if (this.doc.mine === mine) this.#journal.forget(this.doc);
          break;
        case 'wake':
          this.#stopTimer();
          if (!this.#isOver) this.#stopTimer = clock.after(effect.ms, this.save);
          break;
        case 'merged':
          this.#merged = effect.note;
          this.#show();
          break;
        case 'send':
          if (!this.#isOver) void this.#send(effect);
      }
  }

  async #send({ text, baseRevision, keepsContent }: Extract<Effect, { type: 'send' }>): Promise<void> {
    const { api } = this.#shell;
    const { id, key, folderId, spaceId } = this.doc;
    const answer = await api.save({ id, key, folderId, spaceId, text, baseRevision, keepsContent });
    if (this.#isOver) return;
    // Not if another page goes on with the text meanwhile.
    if (this.doc.flying.some((edit) => isSame(edit, text))) this.take({ ...answer, sent: text });
    if (answer.type === 'answered') api.show(answer.note, id === null);
    if (answer.type === 'signedOut') api.signedOut();
  }

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

  /** Goes on with the text that another page has written so far. Resolves when it is the newest one, as far as one can know. */
  async writeHere(): Promise<void> {
    const { api, clock } = this.#shell;
    const handed = new Promise<Entry>((resolve) => {
      this.#handed = resolve;
    });
    this.#tell({ type: 'wanted' });
    const told = await Promise.race([handed, pause(clock, handOverMs)]);
    this.#handed = undefined;
    await this.#claim(true);
    // A page that is asleep does not answer.
    const entry = told ?? (await this.#journal.find(this.name));
    if (this.#isOver) return;
    if (entry && !isClean(this.doc)) return this.#owner.onFound(entry);
    if (entry) this.#goOnWith(entry);
    const { id } = this.doc;
    if (id === null) return;
    const read = api.read(id).then((note) => this.adopt(note), ignore);
    await Promise.race([read, pause(clock, longestReadMs)]);
  }

  #goOnWith(entry: Entry): void {
    this.doc = recovered(entry.doc, this.doc.session);
    if (!isClean(this.doc)) this.#journal.replaces(this.doc, entry);
    this.#show();
    this.save();
  }

  async #claim(steal: boolean): Promise<void> {
    if (this.#release || this.#isOver) return;
    const { name } = this;
    const release = await this.#shell.locks.claim(this.#lockOf(name), steal, () => {
      // Not if this page took it from itself.
      if (this.#release !== release) return;
      this.#yield();
      void this.#goOn();
    });
    // An earlier call of this page has it, or it was for a name that the note no longer has.
    if (this.#release || this.#isOver) return release?.();
    if (name !== this.name) {
      release?.();
      return this.#claim(true);
    }
    this.#isElsewhere = release === undefined;
    if (this.#wantsToWrite) this.#release = release;
    else release?.();
    this.#show();
    if (this.#isElsewhere) void this.#goOn();
  }

  #claimAgain(): void {
    const release = this.#release;
    if (!release) return;
    this.#release = undefined;
    release();
    void this.#claim(true);
  }

  /** As soon as the other page is closed, or shows another note. */
  async #goOn(): Promise<void> {
    await this.#shell.locks.whenFree(this.#lockOf(this.name));
    if (!this.#isElsewhere || this.#isOver) return;
    this.#isElsewhere = false;
    if (this.#wantsToWrite) await this.#claim(false);
    this.#show();
    if (this.#isElsewhere) return;
    this.#owner.onFree();
    if (this.doc.id) await this.#shell.api.read(this.doc.id).then((note) => this.adopt(note), ignore);
  }

  #lockOf = (name: string) => `writes/${this.#shell.person}/${name}`;

  /** Another page goes on with the text. */
  #yield(): void {
    this.#release = undefined;
    this.#isElsewhere = true;
    this.#stopTimer();
    const { key, id, mine, base } = this.doc;
    this.doc = { ...newDoc({ key, session: this.#shell.newId() }), id, base, mine, stored: pairOf(mine) };
    this.#show();
  }

  #tell(news: News): void {
    this.#shell.channel.tell({ ...news, person: this.#shell.person, key: this.name });
  }

  /** What another page of this person says about this note. */
  async hear(message: Message): Promise<void> {
    if (message.type === 'wanted' && this.#release) {
      const entry = this.#journal.entryOf(this.doc);
      if (!isClean(this.doc)) await this.#journal.keep(this.doc, true);
      const release = this.#release;
      if (!release || this.#isOver) return;
      this.#yield();
      release();
      this.#tell({ type: 'handed', entry });
      // It takes the right to write now, if it is still there.
      this.#shell.clock.after(handOverMs, () => void this.#goOn());
    }
    if (message.type === 'handed') this.#handed?.(message.entry);
    if (message.type === 'text' && this.#isElsewhere) {
      // The server may have it under this name: then it is no other text.
      this.doc = { ...this.doc, mine: message.mine, stored: pairOf(message.mine) };
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
      lostPlace: doc.lostPlace,
    };
  }
}

/** A storage that does not answer must not keep the text from the server. */
const longestKeepMs = 300;
const handOverMs = 400;
/** A server that does not answer must not keep the person from writing. */
const longestReadMs = 2_000;
/** The note is read again when it is shown again. */
const ignore = () => {};
