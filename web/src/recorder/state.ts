import type { Explanation } from '../api/errors.ts';
import { createStore, useStore } from '../lib/store.ts';
import type { Asked, Destination } from '../resources/uploads.ts';

/** What the recorder does. Small, because every screen has the button that starts it; the rest is loaded when it is wanted. */
export type RecorderState =
  | { step: 'off' }
  | { step: 'asking'; to: Destination | undefined }
  | { step: 'refused'; problem: Explanation }
  /** `since` is when the present chunk of speech began, undefined during a pause; `spokenMs` is what was said before. */
  | { step: 'recording'; id: string; spokenMs: number; since: number | undefined }
  /** What was said is sent and heard to its end; `place` is the address where it was stopped. */
  | { step: 'finishing'; id: string; place: string };

export const recorder = createStore<RecorderState>({ step: 'off' });
export const useRecorder = () => useStore(recorder);

/** How the next recordings are to be heard. */
export const asked = createStore<Asked>({ language: '', prompt: '' });

/** Where the notes of the next recordings go: the screen that is open says so. Undefined for one's own, without a folder. */
export const destination = createStore<Destination | undefined>(undefined);

type To = Destination | undefined;
type Wish = { kind: 'record'; to: To } | { kind: 'stop' } | { kind: 'files'; files: readonly File[]; to: To };

/** What a person asked for on any screen; the dock does it. */
export const wish = createStore<Wish | undefined>(undefined);
export const askToRecord = () => wish.set({ kind: 'record', to: destination.get() });
export const askToStop = () => wish.set({ kind: 'stop' });
export const offerFiles = (files: Iterable<File>) =>
  wish.set({ kind: 'files', files: [...files], to: destination.get() });
