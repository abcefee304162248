import { createStore, type Store } from '../lib/create-store.ts';
import { type Doc, type Entry, freshDoc, recovered, type StoredNote } from './doc.ts';
import { type Effect, type Event, isClean, isSame, step } from './document.ts';
import { type DocumentView, type Owner, viewOf } from './document-view.ts';
import { handedOver, shownElsewhere, withoutUnsaved } from './hand-over.ts';
import type { Journal } from './journal.ts';
import { type Message, type News, pause, type Shell } from './shell.ts';

/** A storage that does not answer must not keep the text from the server, and a server not the person from writing. */
const longestKeepMs = 300;
const handOverMs = 400;
const longestReadMs = 2_000;

/** The only owner of a note's text in this page. It runs the effects of `step`. */
export class NoteDocument {
  readonly view: Store<DocumentView>;
  readonly key: string;
  /** No screen shows it: a second text that was left of the note. It joins the first one on the server. */
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
  #hasLeft = false;
  #isReading = false;
  #merged: StoredNote | undefined;

  constructor(shell: Shell, journal: Journal, doc: Doc, owner: Owner, isAside: boolean) {
    this.#shell = shell;
    this.#journal = journal;
    this.#owner = owner;
    this.isAside = isAside;
    this.key = doc.key;
    this.doc = doc;
    this.view = createStore(viewOf(doc));
  }

  edit(change: { title?: string; content?: string }): void {
    this.#merged = undefined;
    this.take({ type: 'edited', ...change, at: this.#shell.clock.now() });
  }

  adopt(note: StoredNote): void {
    if (!this.#isElsewhere) this.take({ type: 'remote', note });
  }

  /** A text without the one that it was made from reads that first. */
  save = () =>
    this.doc.id && !this.doc.base ? void this.#readBase(this.doc.id) : this.take({ type: 'tick' });
  retry = () => {
    this.take({ type: 'retry' });
    this.save();
  };
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
    this.#hasLeft = true;
    this.#stopTimer();
    this.#ending.resolve();
    this.#release?.();
  }

  /** What is not saved is given up, and the text is again what the server had. */
  discard(): void {
    this.#journal.forget(this.doc);
    this.#stopTimer();
    this.doc = withoutUnsaved(this.doc, this.#shell.newId());
    this.#show();
    this.#owner.onChange();
  }

  get #isOver(): boolean {
    return this.#hasLeft || this.#owner.isOver();
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
    this.#owner.onChange();
    // Other pages know the note by the id that it has just got.
    if (before.id === null && doc.id !== null && this.#release) {
      this.#release();
      this.#release = undefined;
      void this.#claim(true);
    }
    if (doc.mine !== before.mine && (this.#release || event.type === 'edited'))
      this.#tell({ type: 'text', mine: doc.mine });
    if (this.isAside && doc.theirs) this.resolve('both');
  }

  /** By which other pages know it. */
  get name(): string {
    return this.doc.id ?? this.key;
  }

  async #run(effects: readonly Effect[], isEnding: boolean): Promise<void> {
    const { mine } = this.doc;
    for (const effect of effects)
      switch (effect.type) {
        case 'persist': {
          const kept = this.#journal.keep(this.doc, effect.now);
          // A send follows: the text must be safe before. A page that ends cannot wait.
          if (effect.now && !isEnding)
            await Promise.race([kept, pause(this.#shell.clock, longestKeepMs), this.#ending.promise]);
          break;
        }
        case 'forget':
          // Not what was written while another effect took its time.
          if (this.doc.mine === mine) this.#journal.forget(this.doc);
          break;
        case 'wake':
          this.#stopTimer();
          if (!this.#isOver) this.#stopTimer = this.#shell.clock.after(effect.ms, this.save);
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
    if (!this.#isElsewhere) return;
    const { clock } = this.#shell;
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
    if (entry) {
      this.doc = recovered(entry.doc, this.#shell.newId());
      if (!isClean(this.doc)) this.#journal.replaces(this.doc, entry);
      this.#show();
      this.save();
    }
    const { id } = this.doc;
    if (id === null) return;
    await Promise.race([this.#readAgain(id), pause(clock, longestReadMs)]);
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
    if (this.#isElsewhere && !isClean(this.doc)) this.#setAside();
    this.#show();
    if (this.#isElsewhere) void this.#goOn();
  }

  /** What was typed before it was known that another page writes reaches the server beside that. */
  #setAside(): void {
    const entry = this.#journal.entryOf(this.doc);
    this.#stopTimer();
    this.doc = freshDoc(this.doc, this.#shell.newId(), this.doc.base);
    void this.#owner.onFound(entry);
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
    if (this.doc.id) await this.#readAgain(this.doc.id);
  }

  /** If it cannot be read now, it is when it is shown again. */
  async #readAgain(id: string): Promise<void> {
    const answer = await this.#shell.api.read(id);
    if (answer.type === 'answered') this.adopt(answer.note);
  }

  async #readBase(id: string): Promise<void> {
    if (this.#isReading || this.#isElsewhere || isClean(this.doc)) return;
    this.#isReading = true;
    const answer = await this.#shell.api.read(id);
    this.#isReading = false;
    if (this.doc.base || this.doc.id !== id) return;
    if (answer.type === 'answered') this.adopt(answer.note);
    else this.take({ ...answer, sent: this.doc.mine });
  }

  #lockOf = (name: string) => `writes/${this.#shell.person}/${name}`;

  /** Another page goes on with the text. */
  #yield(): void {
    this.#release = undefined;
    this.#isElsewhere = true;
    this.#stopTimer();
    this.doc = handedOver(this.doc, this.#shell.newId());
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
      this.doc = shownElsewhere(this.doc, message.mine, () => this.#shell.newId());
      this.#show();
    }
  }

  #show(): void {
    this.view.set(viewOf(this.doc, this.#merged, this.#isElsewhere));
  }
}
