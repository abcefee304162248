import { cache } from '../api/cache.ts';
import { isNotFound, isSignedOut, StenoError } from '../api/errors.ts';
import { onPageEnd } from '../api/person.ts';
import {
  forgetInBrowser,
  forgetTail,
  keepInBrowser,
  keepTail,
  keptInBrowser,
  keptTails,
} from '../lib/browser-storage.ts';
import { onReachable } from '../lib/connection.ts';
import { claimInTabs, holdInTab, whenFreeInTabs } from '../lib/tab-locks.ts';
import { changeNote, createNote, fetchNote, type Note, showSaved } from '../resources/notes.ts';
import { checkPerson, sessionKey } from '../resources/session.ts';
import { createDocuments, type Documents } from './documents.ts';
import { newSession } from './sessions.ts';
import type { Answer, Channel, Message, NotesApi, Save, TextStorage } from './shell.ts';

/** The documents of this page, on this browser and this server. */
export function documentsOfPage(person: string): Documents {
  const documents = createDocuments({
    person,
    api: apiOf(),
    storage,
    locks: { hold: holdInTab, whenFree: whenFreeInTabs, claim: claimInTabs },
    channel: openChannel(),
    clock: {
      now: Date.now,
      after(ms, work) {
        const timer = setTimeout(work, ms);
        return () => clearTimeout(timer);
      },
    },
    newId: newSession,
  });
  window.addEventListener('pagehide', documents.hide);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') documents.hide();
  });
  onReachable(documents.wake);
  let isSignedIn = true;
  cache.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryKey[0] !== sessionKey[0]) return;
    const was = isSignedIn;
    isSignedIn = Boolean(query.state.data);
    if (isSignedIn && !was) documents.wake();
  });
  onPageEnd(documents.leave);
  return documents;
}

const storage: TextStorage = {
  keep: keepInBrowser,
  forget: forgetInBrowser,
  kept: keptInBrowser,
  keepTail,
  forgetTail,
  tails: keptTails,
};

function openChannel(): Channel {
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('steno-notes');
  return {
    tell: (message) => channel?.postMessage(message),
    hear(listener) {
      const listen = ({ data }: MessageEvent<Message>) => listener(data);
      channel?.addEventListener('message', listen);
      return () => channel?.removeEventListener('message', listen);
    },
  };
}

/** Browsers send at most 64 kB after a page is closed. */
const maxKeepaliveBytes = 60_000;

function apiOf(): NotesApi {
  const answered = (call: Promise<Note>, id: string | null) =>
    call.then(
      (note): Answer => ({ type: 'answered', note }),
      (error: unknown) => answerOf(error, id),
    );
  return {
    save: (save) => answered(send(save), save.id),
    read: (id) => answered(fetchNote(id), id),
    // What `save` answers with is a note of the server.
    show: (note, isNew) => showSaved(note as Note, isNew),
    signedOut: () => void checkPerson(),
  };
}

function send({ id, key, folderId, spaceId, text, baseRevision: base, keepsContent }: Save): Promise<Note> {
  const { title, content, session, seq } = text;
  const body = { title: title.trim() === '' ? null : title, edit: { session, seq } };
  const options = { keepalive: new Blob([JSON.stringify({ ...body, content })]).size < maxKeepaliveBytes };
  if (id !== null) {
    const changed = keepsContent ? body : { ...body, content };
    return changeNote(id, { ...changed, ...(base === undefined ? {} : { base_revision: base }) }, options);
  }
  const place = { ...(folderId ? { folder_id: folderId } : {}), ...(spaceId ? { space_id: spaceId } : {}) };
  return createNote({ ...body, content, client_note_id: key, note_type: 'personal', ...place }, options);
}

function answerOf(error: unknown, id: string | null): Answer {
  if (!(error instanceof StenoError)) return { type: 'lost', error };
  const { code, status, data, message, retryAfter } = error;
  // The contract: with `base_revision`, a conflict has the current note.
  if (code === 'note_version_conflict' && data) return { type: 'answered', note: data as Note };
  if (isSignedOut(error)) return { type: 'signedOut', error };
  // Its first text was saved, and then the note went to the trash. A change of one that is there may be sent again.
  const isInTrash = status === 409 && id === null;
  if (status >= 500 || status === 429 || (status === 409 && !isInTrash))
    return { type: 'lost', error, waitMs: retryAfter && retryAfter * 1000 };
  const isPlaceGone = isNotFound(error) || status === 403 || /folder_id|space_id/.test(message);
  return { type: 'refused', error, isPlaceGone };
}
