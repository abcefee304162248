import { type AudioSource, createGrowingAudio } from '@steno/sdk';
import type { QueryClient } from '@tanstack/react-query';
import { isNotFound } from '../api/errors.ts';
import { randomId } from '../lib/random-id.ts';
import { createStore, useStore } from '../lib/store.ts';
import { holdInTab, isFreeInTabs } from '../lib/tab-locks.ts';
import { refreshNoteLists } from '../resources/note-list.ts';
import { deleteNote, refreshNote } from '../resources/notes.ts';
import {
  deleteRecording,
  fetchNewestRecordings,
  fetchRecording,
  mayTryAgain,
  type Recording,
  refreshRecordings,
  retryRecording,
} from '../resources/recordings.ts';
import type { Me } from '../resources/session.ts';
import { refreshTranscriptions } from '../resources/transcriptions.ts';
import type { Asked, Destination } from '../resources/uploads.ts';
import { refreshUsage } from '../resources/usage.ts';
import { recorderStrings } from '../strings/recorder.ts';
import { discard } from './discard.ts';
import {
  forgetParts,
  forgetUpload,
  type KeptUpload,
  keepPart,
  keepUpload,
  keptParts,
  keptUploads,
  type Refused,
} from './kept-uploads.ts';
import { refusalOfFile, refusedBy } from './problems.ts';
import { send } from './send.ts';

/** Files up to this size are copied into the browser, so a reload loses nothing. A larger one must be chosen again. */
const maxKeptBytes = 256 * 1024 * 1024;
const lookEveryMs = 2_000;

export interface Item extends KeptUpload {
  /** The browser could not store the whole recording, so only this page has it until the server does. */
  isUnkept?: true;
  state:
    | { step: 'waiting' }
    | { step: 'sending'; sent: number; isTaken: boolean }
    /** A file that was too large to copy: the person must choose it again. */
    | { step: 'missing' }
    | { step: 'transcribing'; progress: number; isQueued: boolean }
    | { step: 'done'; noteId: string | null }
    | ({ step: 'failed' } & Refused);
}

interface Host {
  client: QueryClient;
  me: Me;
}

export const queue = createStore<readonly Item[]>([]);
let host: Host | undefined;
let running = new AbortController();
let looking: ReturnType<typeof setInterval> | undefined;
const audioById = new Map<string, AudioSource>();
const stops = new Map<string, AbortController>();

export const useQueue = () => useStore(queue);
export const itemOf = (id: string) => queue.get().find((item) => item.id === id);

const change = (id: string, changes: Partial<Item>) =>
  queue.set(queue.get().map((item) => (item.id === id ? { ...item, ...changes } : item)));
/** Blocked or full storage. */
export const noteUnkept = (id: string) => change(id, { isUnkept: true });
const move = (id: string, state: Item['state']) => change(id, { state });
const drop = (id: string) => queue.set(queue.get().filter((item) => item.id !== id));

/** Resumes this person's unfinished uploads. Returns a function that stops them: audio must not go to another account. */
export function openQueue(given: Host, onResumed: (item: Item) => void): () => void {
  host = given;
  running = new AbortController();
  queue.set(queue.get().filter(({ userId }) => userId === given.me.user_id));
  void resume(given.me.user_id, running.signal, onResumed);
  return () => {
    running.abort();
    clearInterval(looking);
    looking = undefined;
    host = undefined;
    queue.set([]);
  };
}

async function resume(userId: string, signal: AbortSignal, onResumed: (item: Item) => void): Promise<void> {
  for (const upload of await keptUploads(userId)) {
    if (itemOf(upload.id) || !(await isFreeInTabs(upload.id)) || signal.aborted) continue;
    if (upload.isDiscarded) {
      void discard(upload, signal).then(refresh);
      continue;
    }
    if (upload.isSent) {
      holdInTab(upload.id, signal);
      queue.set([
        ...queue.get(),
        { ...upload, state: { step: 'transcribing', progress: 0, isQueued: true } },
      ]);
      look();
      continue;
    }
    const audio = createGrowingAudio(await keptParts(upload), true);
    if (upload.refused) {
      holdInTab(upload.id, signal);
      if (audio.size > 0) audioById.set(upload.id, audio);
      const mayRetry = upload.refused.mayRetry && audio.size > 0;
      queue.set([...queue.get(), { ...upload, state: { step: 'failed', ...upload.refused, mayRetry } }]);
    } else if (audio.size > 0 && (upload.kind === 'spoken' || audio.size === upload.size)) {
      const item = enqueue(upload, audio);
      if (upload.kind === 'spoken') onResumed(item);
    } else if (upload.kind === 'file') {
      holdInTab(upload.id, signal);
      queue.set([...queue.get(), { ...upload, state: { step: 'missing' } }]);
    } else void forgetUpload(upload);
  }
}

/** Uploads an item: a live recording at once, files one after the other. */
export function enqueue(upload: KeptUpload, audio: AudioSource): Item {
  const item: Item = { ...upload, state: { step: 'waiting' } };
  holdInTab(upload.id, running.signal);
  audioById.set(upload.id, audio);
  queue.set([...queue.get().filter(({ id }) => id !== upload.id), item]);
  if (upload.kind === 'spoken') void work(item);
  else workOnFiles();
  return item;
}

function workOnFiles(): void {
  const files = queue.get().filter(({ kind }) => kind === 'file');
  if (files.some(({ state }) => state.step === 'sending')) return;
  const next = files.find(({ state }) => state.step === 'waiting');
  if (next) void work(next).finally(workOnFiles);
}

async function work(item: Item): Promise<void> {
  const { id } = item;
  const audio = audioById.get(id);
  if (!audio) return;
  const stop = new AbortController();
  stops.set(id, stop);
  const signal = AbortSignal.any([running.signal, stop.signal]);
  let sending = { step: 'sending' as const, sent: 0, isTaken: true };
  const show = (changes: Partial<typeof sending>) => {
    sending = { ...sending, ...changes };
    if (!signal.aborted) move(id, sending);
  };
  show({});
  try {
    const { state: _, ...upload } = item;
    const sent = await send(upload, audio, {
      signal,
      onSent: (bytes) => show({ sent: bytes }),
      onTaken: (isTaken) => {
        if (isTaken !== sending.isTaken) show({ isTaken });
      },
      onChange(changed) {
        change(id, { ...changed });
        void keepUpload(changed);
      },
    });
    await finish(sent);
  } catch (error) {
    if (signal.aborted) return;
    await refuse(itemOf(id) ?? item, refusedBy(error));
  }
}

/** It is not sent again at the next visit. A file that can never be taken need not stay in the browser. */
async function refuse({ state: _, ...upload }: Item, refused: Refused): Promise<void> {
  change(upload.id, { refused, state: { step: 'failed', ...refused } });
  await keepUpload({ ...upload, refused });
  if (upload.kind === 'file' && !refused.mayRetry) await forgetParts(upload);
}

async function finish({ replaces, ...upload }: KeptUpload): Promise<void> {
  const sent = { ...upload, isSent: true };
  await keepUpload(sent);
  // A spoken recording stays in memory until it is a note, so it can be saved as a file if all else fails.
  void forgetParts(sent);
  if (replaces) void removeReplaced(replaces, upload.to?.noteId).catch(() => {});
  change(upload.id, { ...sent, state: { step: 'transcribing', progress: 0, isQueued: true } });
  look();
}

/** The server ended an upload that sent nothing for too long. Its own note goes to the trash. */
async function removeReplaced(recordingId: string, intoNoteId: string | undefined): Promise<void> {
  const { note_id } = await fetchRecording(recordingId);
  await deleteRecording(recordingId, true);
  if (note_id && note_id !== intoNoteId) await deleteNote(note_id);
}

/** Polls all recordings in one request while the server works on any. An older one is polled by itself. */
function look(): void {
  looking ??= setInterval(async () => {
    const waiting = queue.get().filter(({ state }) => state.step === 'transcribing');
    if (waiting.length === 0) {
      clearInterval(looking);
      looking = undefined;
      return;
    }
    const newest = await fetchNewestRecordings().catch(() => undefined);
    if (!newest) return;
    for (const { id, recordingId } of waiting) {
      const found = newest.find((recording) => recording.id === recordingId);
      if (found || !recordingId) showRecording(id, found);
      else
        await fetchRecording(recordingId).then(
          (recording) => showRecording(id, recording),
          (error: unknown) => isNotFound(error) && showRecording(id, undefined),
        );
    }
  }, lookEveryMs);
}

/** The recording of an item; `undefined` if it was deleted meanwhile. */
export function showRecording(id: string, recording: Recording | undefined): void {
  const item = itemOf(id);
  if (item?.state.step !== 'transcribing') return;
  if (!recording) {
    drop(id);
    void forgetUpload(item);
    return;
  }
  const { state, progress } = recording;
  if (state === 'done') {
    change(id, { name: recording.name, state: { step: 'done', noteId: recording.note_id } });
    audioById.delete(id);
    stops.delete(id);
    void forgetUpload(item);
    refresh();
    // Silent: the note is read again when it is opened.
    if (host && item.to?.noteId) void refreshNote(host.client, item.to.noteId).catch(() => {});
  } else if (state === 'failed') {
    const problem = { title: recorderStrings.failed, detail: recording.error ?? '' };
    move(id, { step: 'failed', problem, mayRetry: mayTryAgain(recording) });
  } else move(id, { step: 'transcribing', progress, isQueued: state === 'queued' });
}

function refresh(): void {
  if (!host) return;
  const { client } = host;
  void refreshRecordings(client);
  void refreshTranscriptions(client);
  void refreshUsage(client);
  void refreshNoteLists(client);
}

/** Sends files. Says at once which ones the server would refuse. */
export async function addFiles(
  files: readonly File[],
  asked: Asked,
  to: Destination | undefined,
): Promise<void> {
  if (!host) return;
  const { me } = host;
  for (const file of files) {
    const upload: KeptUpload = {
      id: randomId(),
      userId: me.user_id,
      name: file.name,
      asked,
      to,
      kind: 'file',
      size: file.size,
      isSent: false,
    };
    const problem = refusalOfFile(file, me.speech);
    if (problem) {
      const state = { step: 'failed' as const, problem, mayRetry: false };
      queue.set([...queue.get(), { ...upload, state }]);
      continue;
    }
    void keepUpload(upload);
    if (file.size <= maxKeptBytes) void keepPart(upload, 0, file);
    enqueue(upload, createGrowingAudio([file], true));
  }
}

/** True if this is the item's file. */
export function giveFile(item: Item, file: File): boolean {
  if (file.name !== item.name || file.size !== item.size) return false;
  const { state: _, ...upload } = item;
  enqueue(upload, createGrowingAudio([file], true));
  return true;
}

/** The audio of an item that is not on the server, or did not become a note. */
export function audioOf({ id }: Item): Blob | undefined {
  const audio = audioById.get(id);
  return audio?.slice(0, audio.size);
}

export async function retry(item: Item): Promise<void> {
  const { state: _, refused, ...upload } = item;
  const audio = audioById.get(item.id);
  if (refused && audio) {
    await keepUpload(upload);
    enqueue(upload, audio);
  } else if (item.recordingId) {
    await retryRecording(item.recordingId);
    move(item.id, { step: 'transcribing', progress: 0, isQueued: true });
    look();
  }
}

/** Removes what is over. What was spoken and is only in this browser stays: nobody can send it again. */
export const isClearable = ({ kind, isSent, state }: Item) =>
  state.step === 'done' || (state.step === 'failed' && (kind === 'file' || isSent));

/** What was spoken and did not become a note yet: without this item its sound is nowhere, or is deleted on the server. */
export const isOnlyCopy = ({ kind, isSent, state }: Item) =>
  kind === 'spoken' && state.step !== 'done' && !(state.step === 'failed' && isSent);

/** Removes it from the list. A running upload is cancelled, here and on the server. */
export async function giveUp(item: Item): Promise<void> {
  stops.get(item.id)?.abort();
  stops.delete(item.id);
  audioById.delete(item.id);
  drop(item.id);
  const { state, ...upload } = item;
  if (state.step === 'done' || state.step === 'failed') return forgetUpload(upload);
  await discard(upload, running.signal);
  refresh();
}
