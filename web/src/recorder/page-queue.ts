import { cache } from '../api/cache.ts';
import { isSignedOut } from '../api/errors.ts';
import { untilReachable } from '../lib/connection.ts';
import { createStore, useStore } from '../lib/store.ts';
import { holdInTab, isFreeInTabs } from '../lib/tab-locks.ts';
import { refreshNoteLists } from '../resources/note-list.ts';
import { deleteNote, refreshNote } from '../resources/notes.ts';
import {
  deleteRecording,
  fetchNewestRecordings,
  fetchRecording,
  mayTryAgain,
  refreshRecordings,
  retryRecording,
} from '../resources/recordings.ts';
import { checkPerson, type Me, sessionKey } from '../resources/session.ts';
import { refreshTranscriptions } from '../resources/transcriptions.ts';
import { deleteUpload, uploadAudio } from '../resources/uploads.ts';
import { refreshUsage } from '../resources/usage.ts';
import type { Item } from './item.ts';
import { uploadsInBrowser } from './kept-uploads.ts';
import { createQueue, type Queue } from './queue.ts';

/** The uploads of this person, on this browser and this server. */
export const queueOfPage = (person: Me, onResumed: (item: Item) => void): Queue =>
  createQueue({
    person,
    server: {
      uploadAudio: (audio, about, options) =>
        uploadAudio(audio, about, {
          ...options,
          onTrouble(error) {
            options.onTrouble?.(error);
            // No query may ask for a long time, and without the session nothing is sent.
            if (isSignedOut(error) && cache.getQueryData(sessionKey)) void checkPerson();
          },
        }),
      deleteUpload,
      deleteRecording,
      fetchRecording,
      fetchNewestRecordings,
      retryRecording,
      mayTryAgain,
      deleteNote,
      wait: untilReachable,
    },
    storage: uploadsInBrowser,
    locks: { hold: holdInTab, isFree: isFreeInTabs },
    every(ms, work) {
      const timer = setInterval(work, ms);
      return () => clearInterval(timer);
    },
    onResumed,
    onChange(intoNoteId) {
      void refreshRecordings();
      void refreshTranscriptions();
      void refreshUsage();
      void refreshNoteLists();
      // Silent: the note is read again when it is opened.
      if (intoNoteId) void refreshNote(intoNoteId).catch(() => {});
    },
  });

/** While the dock is there. */
export const openQueue = createStore<Queue | undefined>(undefined);

export function useQueue(): Queue {
  const queue = useStore(openQueue);
  if (!queue) throw new Error('Only the dock has a queue.');
  return queue;
}
export const useItems = () => useStore(useQueue().items);
