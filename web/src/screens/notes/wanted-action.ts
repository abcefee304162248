import { createStore } from '../../lib/store.ts';

/** The action that the person chose for a note. `WriteAbout` carries it out. */
export const wantedAction = createStore<{ noteId: string; actionId: string } | undefined>(undefined);
