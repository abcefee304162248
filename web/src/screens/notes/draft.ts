import { ApiError } from '../../api/errors.ts';
import { randomId } from '../../lib/random-id.ts';
import { createStore } from '../../lib/store.ts';
import { changeNote, createNote, fetchNote, type Note } from '../../resources/notes.ts';
import { forgetKept, keep, keptDrafts, type SentNote } from './kept-drafts.ts';

export type SaveState = 'saved' | 'unsaved' | 'empty' | 'saving' | 'failed' | 'conflict';

export interface DraftView {
  title: string;
  content: string;
  state: SaveState;
  error: unknown;
  /** Undefined until the server has the note. */
  noteId: string | undefined;
}

interface Options {
  /** The id of the note; for a new note a random one. */
  id: string;
  note: Note | undefined;
  folderId: string | undefined;
  spaceId: string | undefined;
  onSaved(note: Note, isNew: boolean): void;
}

/** The version that the person has seen. */
type Base = Pick<Note, 'id' | 'updated_at'>;

const pauseMs = 900;
/** How often to save while someone types without a pause. */
const longestMs = 8_000;
const retryMs = 5_000;
/** Browsers send at most 64 kB after the page is closed. */
const maxKeepaliveChars = 15_000;

/**
 * A note that is being edited. It saves after a pause, one request at a time, and never overwrites a text it has
 * not seen. Until the server has the text, it is kept in the browser. It lives outside React, so that leaving the screen
 * does not lose the last words.
 */
export class NoteDraft {
  readonly shown = createStore<DraftView>({
    title: '',
    content: '',
    state: 'saved',
    error: undefined,
    noteId: undefined,
  });
  readonly #id: string;
  readonly #onSaved: Options['onSaved'];
  readonly #folderId: string | undefined;
  readonly #spaceId: string | undefined;
  #base: Base | undefined;
  #sent: SentNote | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unsavedSince: number | undefined;

  constructor({ id, note, folderId, spaceId, onSaved }: Options) {
    const kept = keptDrafts.get().get(id);
    this.#id = id;
    this.#onSaved = onSaved;
    this.#base = note;
    this.#folderId = kept ? kept.folderId : folderId;
    this.#spaceId = kept ? kept.spaceId : spaceId;
    this.#sent = kept?.sent;
    this.#show({ title: note?.title ?? '', content: note?.content ?? '', noteId: note?.id });
    if (!kept) return;
    // The last save, sent as the page closed, may have succeeded without this page knowing.
    if (kept.content === note?.content && kept.title === (note.title ?? '')) {
      forgetKept(id);
      return;
    }
    // Based on the version that the person saw, so that a change made elsewhere is a conflict and is not overwritten.
    if (kept.updatedAt) this.#base = { id, updated_at: kept.updatedAt };
    this.#show({ title: kept.title, content: kept.content, state: 'unsaved' });
  }

  /** Saves kept text from an earlier visit. */
  resume(): void {
    if (this.#view.state === 'unsaved') this.#plan(pauseMs);
  }

  edit(change: { title?: string; content?: string }): void {
    this.#unsavedSince ??= Date.now();
    const { state } = this.#view;
    this.#show({ ...change, state: state === 'saving' || state === 'conflict' ? state : 'unsaved' });
    this.#keep();
    if (state !== 'saving' && state !== 'conflict') this.#plan(pauseMs);
  }

  /** Takes over a newer note from the server, unless there are unsaved changes. */
  adopt(note: Note): void {
    if (this.#view.state !== 'saved' || !this.#base || note.updated_at <= this.#base.updated_at) return;
    this.#base = note;
    this.#show({ title: note.title ?? '', content: note.content });
  }

  async save({ leaving = false } = {}): Promise<void> {
    clearTimeout(this.#timer);
    const { title, content, state } = this.#view;
    if (state === 'saved' || state === 'saving' || state === 'conflict') return;
    if (!this.#base && !this.#sent && `${title}${content}`.trim() === '') {
      forgetKept(this.#id);
      this.#show({ state: 'empty' });
      return;
    }
    this.#unsavedSince = undefined;
    this.#show({ state: 'saving', error: undefined });
    let saved: Note;
    try {
      saved = await this.#send(title, content, leaving && content.length < maxKeepaliveChars);
    } catch (error) {
      const mine = await this.#savedBefore(error, title, content);
      if (!mine) return this.#failed(error);
      saved = mine;
    }
    const isNew = !this.#base;
    forgetKept(this.#base?.id ?? this.#id);
    this.#base = saved;
    this.#sent = undefined;
    const unchanged = this.#view.content === saved.content && named(this.#view.title) === saved.title;
    this.#show({ state: unchanged ? 'saved' : 'unsaved', noteId: saved.id });
    if (!unchanged) {
      this.#keep();
      this.#plan(pauseMs);
    }
    this.#onSaved(saved, isNew);
  }

  /** The answer to an earlier save may be lost, as when its page was closed. The same text is not in conflict with itself. */
  async #savedBefore(error: unknown, title: string, content: string): Promise<Note | undefined> {
    if (!this.#base || !(error instanceof ApiError) || error.code !== 'conflict') return undefined;
    const latest = await fetchNote(this.#base.id).catch(() => undefined);
    return latest?.content === content && latest.title === named(title) ? latest : undefined;
  }

  /** After a conflict: overwrites the server's version with this one. */
  async keepMine(): Promise<void> {
    await this.#afterReading((latest) => {
      this.#base = latest;
      this.#show({ state: 'unsaved' });
    });
    await this.save();
  }

  async takeTheirs(): Promise<void> {
    await this.#afterReading((latest) => {
      this.#base = latest;
      this.#unsavedSince = undefined;
      forgetKept(latest.id);
      this.#show({ title: latest.title ?? '', content: latest.content, state: 'saved' });
      this.#onSaved(latest, false);
    });
  }

  async #afterReading(then: (latest: Note) => void): Promise<void> {
    if (!this.#base) return;
    try {
      then(await fetchNote(this.#base.id));
    } catch (error) {
      this.#show({ error });
    }
  }

  /** The answer to a new note may be lost. Sent again with the same key, the same text makes no second note. */
  #send(title: string, content: string, keepalive: boolean): Promise<Note> {
    const text = { title: named(title), content };
    if (this.#base) {
      const { id, updated_at } = this.#base;
      return changeNote(id, { ...text, expected_updated_at: updated_at }, { keepalive });
    }
    this.#sent ??= { key: randomId(), ...text };
    this.#keep();
    const { key, ...sent } = this.#sent;
    const place = {
      ...(this.#folderId ? { folder_id: this.#folderId } : {}),
      ...(this.#spaceId ? { space_id: this.#spaceId } : {}),
    };
    return createNote({ ...sent, note_type: 'personal', ...place }, { keepalive, key });
  }

  #failed(error: unknown): void {
    this.#unsavedSince = Date.now();
    const refusal =
      error instanceof ApiError && error.status < 500 && error.status !== 429 ? error : undefined;
    if (refusal && [400, 404, 413].includes(refusal.status)) this.#sent = undefined;
    this.#keep();
    if (this.#base && refusal?.code === 'conflict') {
      this.#show({ state: 'conflict', error });
      return;
    }
    this.#show({ state: 'failed', error });
    const waitMs =
      error instanceof ApiError && error.retryAfterSeconds ? error.retryAfterSeconds * 1000 : retryMs;
    // A new note is in conflict while an earlier request to create it still runs.
    if (!refusal || refusal.code === 'conflict') this.#plan(waitMs);
  }

  #keep(): void {
    const { title, content } = this.#view;
    keep({
      id: this.#base?.id ?? this.#id,
      title,
      content,
      updatedAt: this.#base?.updated_at,
      folderId: this.#folderId,
      spaceId: this.#spaceId,
      sent: this.#sent,
    });
  }

  #plan(waitMs: number): void {
    clearTimeout(this.#timer);
    const typedForMs = Date.now() - (this.#unsavedSince ?? Date.now());
    const soonestMs = waitMs === pauseMs ? Math.max(0, Math.min(waitMs, longestMs - typedForMs)) : waitMs;
    this.#timer = setTimeout(() => this.save(), soonestMs);
  }

  get #view(): DraftView {
    return this.shown.get();
  }

  #show(change: Partial<DraftView>): void {
    this.shown.set({ ...this.#view, ...change });
  }
}

const named = (title: string) => (title.trim() === '' ? null : title);
