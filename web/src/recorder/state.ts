import type { Explanation } from '../api/errors.ts';
import { createStore, useStore } from '../lib/store.ts';
import type { Asked, Destination } from '../resources/asked.ts';

/** The state of the recorder. Small, because every screen has the record button; the rest is loaded when needed. */
export type RecorderState =
  | { step: 'off' }
  /** A note is open: it may go there, or become a note of its own. */
  | { step: 'choosing'; to: To; note: OpenNote }
  | { step: 'asking'; to: Destination | undefined }
  | { step: 'refused'; problem: Explanation }
  /**
   * `since` is when recording last (re)started, undefined during a pause; `spokenMs` is the time recorded before that. `problem`
   * is why nothing is heard.
   */
  | {
      step: 'recording';
      id: string;
      spokenMs: number;
      since: number | undefined;
      problem?: Explanation | undefined;
    }
  /** The rest is being sent and transcribed; `place` is the address where it was stopped. */
  | { step: 'finishing'; id: string; place: string };

export const recorder = createStore<RecorderState>({ step: 'off' });
export const useRecorder = () => useStore(recorder);
export const isPaused = (state: RecorderState) => state.step === 'recording' && state.since === undefined;

/** Where the page has room for the words of a recording, because no note is open. `null` on a phone: there the bar grows. */
export const roomForWords = createStore<Element | null | undefined>(undefined);

/** The options for the next recordings. */
export const asked = createStore<Asked>({ language: '', prompt: '' });

/** Where the notes of the next recordings go, set by the open screen. Undefined for one's own notes, without a folder. */
export const destination = createStore<Destination | undefined>(undefined);

/** How many uploads wait here for something. */
export const heldUploads = createStore(0);

interface OpenNote {
  id: string;
  name: string;
}
/** The note on the screen. */
export const openNote = createStore<OpenNote | undefined>(undefined);

type To = Destination | undefined;
type Wish =
  | { kind: 'record'; to: To; note: OpenNote | undefined }
  | { kind: 'stop' }
  | { kind: 'files'; files: readonly File[]; to: To };

/** A request from any screen, which the dock carries out. */
export const wish = createStore<Wish | undefined>(undefined);
export const askToRecord = () => wish.set({ kind: 'record', to: destination.get(), note: openNote.get() });
export const askToStop = () => wish.set({ kind: 'stop' });
export const offerFiles = (files: Iterable<File>) =>
  wish.set({ kind: 'files', files: [...files], to: destination.get() });
