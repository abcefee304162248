import { ApiError } from '../../api/errors.ts';
import { createStore } from '../../lib/store.ts';
import { changeNote, createNote, fetchNote, type Note } from '../../resources/notes.ts';
import { forgetKept, keep, keptFor } from './kept-drafts.ts';

export type SaveState = 'saved' | 'unsaved' | 'empty' | 'saving' | 'failed' | 'conflict';

export interface DraftView {
  title: string;
  content: string;
  state: SaveState;
  error: unknown;
}

interface Options {
  note: Note | undefined;
  folderId: string | undefined;
  onSaved(note: Note): void;
}

const pauseMs = 900;
/** How often to save while someone types without a pause. */
const longestMs = 8_000;
const retryMs = 5_000;
/** Browsers send at most 64 kB after the page is closed. */
const maxKeepaliveChars = 15_000;

/**
 * A note that is being edited. It saves after a pause, one request at a time, and never overwrites a text it has
 * not seen. It lives outside React, so that leaving the screen does not lose the last words.
 */
export class NoteDraft {
  readonly shown = createStore<DraftView>({ title: '', content: '', state: 'saved', error: undefined });
  #base: Note | undefined;
  #folderId: string | undefined;
  #onSaved: (note: Note) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unsavedSince: number | undefined;

  constructor({ note, folderId, onSaved }: Options) {
    this.#base = note;
    this.#folderId = folderId;
    this.#onSaved = onSaved;
    this.#show({ title: note?.title ?? '', content: note?.content ?? '' });
    const kept = keptFor(note?.id);
    if (!kept) return;
    // The last save, sent as the page closed, may have succeeded without this page knowing.
    if (kept.content === note?.content && kept.title === (note.title ?? '')) {
      forgetKept(note.id);
      return;
    }
    // Based on the version its writer saw, so that a change made elsewhere is a conflict and is not overwritten.
    if (note && kept.updatedAt) this.#base = { ...note, updated_at: kept.updatedAt };
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
    if (content.trim() === '') {
      this.#show({ state: 'empty' });
      return;
    }
    const wasId = this.#base?.id;
    this.#unsavedSince = undefined;
    this.#show({ state: 'saving', error: undefined });
    try {
      this.#base = await this.#send(title, content, leaving && content.length < maxKeepaliveChars);
    } catch (error) {
      this.#failed(error);
      return;
    }
    forgetKept(wasId);
    const unchanged = this.#view.title === title && this.#view.content === content;
    this.#show({ state: unchanged ? 'saved' : 'unsaved' });
    this.#onSaved(this.#base);
    if (!unchanged) this.#plan(pauseMs);
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
      this.#onSaved(latest);
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

  #send(title: string, content: string, keepalive: boolean): Promise<Note> {
    const named = title.trim() === '' ? null : title;
    if (!this.#base) {
      const folder = this.#folderId ? { folder_id: this.#folderId } : {};
      return createNote({ title: named, content, note_type: 'personal', ...folder }, { keepalive });
    }
    const { id, updated_at } = this.#base;
    return changeNote(id, { title: named, content, expected_updated_at: updated_at }, { keepalive });
  }

  #failed(error: unknown): void {
    this.#unsavedSince = Date.now();
    const { title, content } = this.#view;
    keep(this.#base?.id, { title, content, updatedAt: this.#base?.updated_at });
    if (error instanceof ApiError && error.code === 'conflict') {
      this.#show({ state: 'conflict', error });
      return;
    }
    this.#show({ state: 'failed', error });
    const refused = error instanceof ApiError && error.status < 500 && error.status !== 429;
    const waitMs =
      error instanceof ApiError && error.retryAfterSeconds ? error.retryAfterSeconds * 1000 : retryMs;
    if (!refused) this.#plan(waitMs);
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
