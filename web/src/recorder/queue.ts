import { type AudioSource, type components, createGrowingAudio } from '@steno/sdk';
import { isNotFound } from '../api/errors.ts';
import { createStore, type Store } from '../lib/create-store.ts';
import { randomId } from '../lib/random-id.ts';
import type { Asked, Destination } from '../resources/asked.ts';
import { recorderStrings } from '../strings/recorder.ts';
import { discard, type Remover, removeRecording } from './discard.ts';
import type { Item, KeptUpload, Refused, UploadStorage } from './item.ts';
import { refusalOfFile, refusedBy } from './problems.ts';
import { type Send, send } from './send.ts';

/** Files up to this size are copied into the browser, so a reload loses nothing. A larger one must be chosen again. */
const maxKeptBytes = 256 * 1024 * 1024;
const lookEveryMs = 2_000;

type Recording = components['schemas']['Recording'];

interface Parts {
  /** Every upload here is this person's: neither sound nor an answer reaches another one. */
  person: Pick<components['schemas']['Me'], 'user_id' | 'speech'>;
  server: Remover & {
    uploadAudio: Send;
    fetchNewestRecordings(): Promise<Recording[]>;
    retryRecording(id: string): Promise<unknown>;
    /** Whether another try can help one that failed. */
    mayTryAgain(recording: Recording): boolean;
  };
  storage: UploadStorage;
  locks: { hold(name: string, signal: AbortSignal): void; isFree(name: string): Promise<boolean> };
  /** Calls again and again until the result is called. */
  every(ms: number, work: () => void): () => void;
  /** What was interrupted goes on. */
  onResumed(item: Item): void;
  /** The server has something new to list, and what was said went into this note. */
  onChange(intoNoteId?: string): void;
}

export interface Queue {
  items: Store<readonly Item[]>;
  itemOf(id: string): Item | undefined;
  /** Uploads an item: a live recording at once, files one after the other. */
  enqueue(upload: KeptUpload, audio: AudioSource): Item;
  /** Keeps a part of a live recording until the server has it all. */
  keepSound(upload: KeptUpload, order: number, part: Blob): void;
  /** The recording of an item; `undefined` if it was deleted meanwhile. */
  showRecording(id: string, recording: Recording | undefined): void;
  /** Sends files. Says at once which ones the server would refuse. */
  addFiles(files: readonly File[], asked: Asked, to: Destination | undefined): void;
  /** True if this is the item's file. */
  giveFile(item: Item, file: File): boolean;
  /** The audio of an item that is not on the server, or did not become a note. */
  audioOf(item: Item): Blob | undefined;
  retry(item: Item): Promise<void>;
  /** Removes it from the list. A running upload is cancelled, here and on the server: true once that has nothing of it. */
  giveUp(item: Item, onWaiting?: () => void): Promise<boolean>;
  /** Nothing is sent, shown or written any longer. What is kept goes on in the next queue of this person. */
  close(): void;
}

/** Resumes this person's unfinished uploads. */
export function createQueue(parts: Parts): Queue {
  const { person, server, storage, locks, every, onResumed, onChange } = parts;
  const items = createStore<readonly Item[]>([]);
  const running = new AbortController();
  const { signal: closed } = running;
  const audioById = new Map<string, AudioSource>();
  const stops = new Map<string, AbortController>();
  let stopLooking: (() => void) | undefined;

  const itemOf = (id: string) => items.get().find((item) => item.id === id);
  const set = (next: readonly Item[]) => closed.aborted || items.set(next);
  const change = (id: string, changes: Partial<Item>) =>
    set(items.get().map((item) => (item.id === id ? { ...item, ...changes } : item)));
  const move = (id: string, state: Item['state']) => change(id, { state });
  const drop = (id: string) => set(items.get().filter((item) => item.id !== id));
  const show = (item: Item) => set([...items.get().filter(({ id }) => id !== item.id), item]);

  async function resume(): Promise<void> {
    for (const upload of await storage.keptUploads(person.user_id)) {
      if (itemOf(upload.id) || !(await locks.isFree(upload.id)) || closed.aborted) continue;
      if (upload.isDiscarded)
        void discard(upload, { server, storage, signal: closed }).then(() => onChange());
      else await resumeOne(upload);
    }
  }

  async function resumeOne(upload: KeptUpload): Promise<void> {
    const hold = (state: Item['state']) => {
      locks.hold(upload.id, closed);
      show({ ...upload, state });
    };
    if (upload.isSent) {
      hold({ step: 'transcribing', progress: 0, isQueued: true });
      return look();
    }
    const audio = createGrowingAudio(await storage.keptParts(upload), true);
    if (closed.aborted) return;
    const isWhole = audio.size > 0 && (upload.kind === 'spoken' || audio.size === upload.size);
    if (upload.refused) {
      if (audio.size > 0) audioById.set(upload.id, audio);
      hold({ step: 'failed', ...upload.refused, mayRetry: upload.refused.mayRetry && audio.size > 0 });
    } else if (isWhole) {
      const item = enqueue(upload, audio);
      if (upload.kind === 'spoken') onResumed(item);
    } else if (upload.kind === 'file') hold({ step: 'missing' });
    else void storage.forgetUpload(upload);
  }

  function enqueue(upload: KeptUpload, audio: AudioSource): Item {
    const item: Item = { ...upload, state: { step: 'waiting' } };
    if (closed.aborted || upload.userId !== person.user_id) return item;
    locks.hold(upload.id, closed);
    audioById.set(upload.id, audio);
    show(item);
    if (upload.kind === 'spoken') void work(item);
    else workOnFiles();
    return item;
  }

  /** A file that the server does not take now does not stop the others. */
  function workOnFiles(): void {
    const files = items.get().filter(({ kind }) => kind === 'file');
    if (closed.aborted || files.some(({ state }) => state.step === 'sending' && state.isTaken)) return;
    const next = files.find(({ state }) => state.step === 'waiting');
    if (next) void work(next).finally(workOnFiles);
  }

  async function work(item: Item): Promise<void> {
    const { id } = item;
    const audio = audioById.get(id);
    if (!audio) return;
    const stop = new AbortController();
    stops.set(id, stop);
    const signal = AbortSignal.any([closed, stop.signal]);
    let sending = { step: 'sending' as const, sent: 0, isTaken: true };
    const show = (changes: Partial<typeof sending>) => {
      sending = { ...sending, ...changes };
      if (!signal.aborted) move(id, sending);
    };
    show({});
    try {
      const { state: _, ...upload } = item;
      const sent = await send(upload, audio, server.uploadAudio, {
        signal,
        onSent: (bytes) => show({ sent: bytes }),
        onTaken(isTaken) {
          if (isTaken === sending.isTaken) return;
          show({ isTaken });
          if (item.kind === 'file') workOnFiles();
        },
        onChange(changed) {
          if (signal.aborted) return;
          change(id, { ...changed });
          void storage.keepUpload(changed);
        },
      });
      if (!signal.aborted) await finish(sent);
    } catch (error) {
      if (!signal.aborted) await refuse(itemOf(id) ?? item, refusedBy(error));
    }
  }

  /** It is not sent again at the next visit. A file that can never be taken need not stay in the browser. */
  async function refuse({ state: _, ...upload }: Item, refused: Refused): Promise<void> {
    change(upload.id, { refused, state: { step: 'failed', ...refused } });
    await storage.keepUpload({ ...upload, refused });
    if (upload.kind === 'file' && !refused.mayRetry) await storage.forgetParts(upload);
  }

  async function finish({ replaces, ...upload }: KeptUpload): Promise<void> {
    const sent = { ...upload, isSent: true };
    await storage.keepUpload(sent);
    // A spoken recording stays in memory until it is a note, so it can be saved as a file if all else fails.
    void storage.forgetParts(sent);
    if (closed.aborted) return;
    // The server ended an upload that sent nothing for too long.
    if (replaces) void removeRecording(server, replaces, upload.to?.noteId).catch(() => {});
    change(upload.id, { ...sent, state: { step: 'transcribing', progress: 0, isQueued: true } });
    look();
  }

  /** Polls all recordings in one request while the server works on any. An older one is polled by itself. */
  function look(): void {
    stopLooking ??= every(lookEveryMs, async () => {
      const waiting = items.get().filter(({ state }) => state.step === 'transcribing');
      if (waiting.length === 0 || closed.aborted) {
        stopLooking?.();
        stopLooking = undefined;
        return;
      }
      const newest = await server.fetchNewestRecordings().catch(() => undefined);
      if (!newest) return;
      for (const { id, recordingId } of waiting) {
        const found = newest.find((recording) => recording.id === recordingId);
        if (found || !recordingId) showRecording(id, found);
        else
          await server.fetchRecording(recordingId).then(
            (recording) => showRecording(id, recording),
            (error: unknown) => isNotFound(error) && showRecording(id, undefined),
          );
      }
    });
  }

  function showRecording(id: string, recording: Recording | undefined): void {
    const item = itemOf(id);
    if (closed.aborted || item?.state.step !== 'transcribing') return;
    if (!recording) {
      drop(id);
      void storage.forgetUpload(item);
      return;
    }
    const { state, progress } = recording;
    if (state === 'done') {
      change(id, { name: recording.name, state: { step: 'done', noteId: recording.note_id } });
      audioById.delete(id);
      stops.delete(id);
      void storage.forgetUpload(item);
      onChange(item.to?.noteId);
    } else if (state === 'failed') {
      const problem = { title: recorderStrings.failed, detail: recording.error ?? '' };
      move(id, { step: 'failed', problem, mayRetry: server.mayTryAgain(recording) });
    } else move(id, { step: 'transcribing', progress, isQueued: state === 'queued' });
  }

  void resume();
  return {
    items,
    itemOf,
    enqueue,
    showRecording,
    keepSound(upload, order, part) {
      // Blocked or full storage.
      void storage
        .keepPart(upload, order, part)
        .then((isKept) => isKept || change(upload.id, { isUnkept: true }));
    },
    addFiles(files, asked, to) {
      for (const file of files) {
        const { name, size } = file;
        const begun = { id: randomId(), userId: person.user_id, isSent: false, kind: 'file' } as const;
        const upload: KeptUpload = { ...begun, name, size, asked, to };
        const problem = refusalOfFile(file, person.speech);
        if (problem) {
          show({ ...upload, state: { step: 'failed', problem, mayRetry: false } });
          continue;
        }
        void storage.keepUpload(upload);
        if (size <= maxKeptBytes) void storage.keepPart(upload, 0, file);
        enqueue(upload, createGrowingAudio([file], true));
      }
    },
    giveFile({ state: _, ...upload }, file) {
      if (file.name !== upload.name || file.size !== upload.size) return false;
      enqueue(upload, createGrowingAudio([file], true));
      return true;
    },
    audioOf({ id }) {
      const audio = audioById.get(id);
      return audio?.slice(0, audio.size);
    },
    async retry({ state: _, refused, ...upload }) {
      const audio = audioById.get(upload.id);
      if (refused && audio) {
        await storage.keepUpload(upload);
        enqueue(upload, audio);
      } else if (upload.recordingId) {
        await server.retryRecording(upload.recordingId);
        move(upload.id, { step: 'transcribing', progress: 0, isQueued: true });
        look();
      }
    },
    async giveUp(given, onWaiting) {
      // While the person was asked, it may have gone on.
      const { state: _, ...upload } = itemOf(given.id) ?? given;
      stops.get(upload.id)?.abort();
      stops.delete(upload.id);
      audioById.delete(upload.id);
      drop(upload.id);
      if (given.state.step === 'done' || given.state.step === 'failed') {
        await storage.forgetUpload(upload);
        return true;
      }
      const isGone = await discard(upload, { server, storage, signal: closed, onWaiting });
      onChange();
      return isGone;
    },
    close() {
      running.abort();
      stopLooking?.();
      items.set([]);
    },
  };
}
