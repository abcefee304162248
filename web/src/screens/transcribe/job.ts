import type { QueryClient } from '@tanstack/react-query';
import { formatDateTime } from '../../lib/format.ts';
import { randomId } from '../../lib/random-id.ts';
import { createStore, useStore } from '../../lib/store.ts';
import { holdInTab, isFreeInTabs } from '../../lib/tab-locks.ts';
import type { Me } from '../../resources/session.ts';
import { type Asked, type TranscribeResult, transcribe } from '../../resources/transcribe.ts';
import { refreshTranscriptions } from '../../resources/transcriptions.ts';
import { refreshUsage } from '../../resources/usage.ts';
import { strings } from '../../strings.ts';
import { toast } from '../../ui/toast.tsx';
import { forgetSound, type KeptRecording, keepSound, keptRecordings } from './kept-recordings.ts';
import { checkSize } from './problems.ts';
import { startRecording } from './recorder.ts';

const texts = strings.transcribe;

/** One recording that is being transcribed. Only the person whose recording it is sees it. */
export interface Job extends KeptRecording {
  file: Blob;
  /** The largest file that the server takes. */
  maxBytes: number;
  state:
    | { step: 'sending'; share: number }
    | { step: 'working'; since: number }
    | { step: 'done'; result: TranscribeResult }
    | { step: 'failed'; error: unknown };
}

type Given = Omit<Job, 'state'>;

const current = createStore<Job | undefined>(undefined);
let running: AbortController | undefined;

/** Lives outside the screen, so that people can look at a note meanwhile. */
export function useJob(userId: string): Job | undefined {
  const job = useStore(current);
  return job?.userId === userId ? job : undefined;
}

export async function startJob(client: QueryClient, given: Given): Promise<void> {
  running?.abort();
  const unsendable = checkSize(given.file, given.maxBytes);
  if (unsendable) return current.set({ ...given, state: { step: 'failed', error: unsendable } });

  const controller = new AbortController();
  running = controller;
  const { signal } = controller;
  const move = (state: Job['state']) => {
    if (!signal.aborted) current.set({ ...given, state });
  };
  move({ step: 'sending', share: 0 });
  const release = holdInTab(given.id);
  try {
    const result = await transcribe({
      ...given,
      signal,
      onSent: (share) =>
        move(share < 1 ? { step: 'sending', share } : { step: 'working', since: Date.now() }),
    });
    move({ step: 'done', result });
    void forgetSound(given);
    refreshTranscriptions(client);
    refreshUsage(client);
    if (window.location.pathname !== '/transcribe') toast({ title: texts.ready(given.name) });
  } catch (error) {
    move({ step: 'failed', error });
  } finally {
    release();
  }
}

/** Also cancels it on the server, which then counts no minutes. */
export function clearJob(): void {
  running?.abort();
  running = undefined;
  const job = current.get();
  if (job) void forgetSound(job);
  current.set(undefined);
}

/** Transcribes a file, which is kept in this browser until there is a transcript. */
export function sendFile(client: QueryClient, me: Me, file: File, asked: Asked): Promise<void> {
  const kept = { id: randomId(), userId: me.user_id, name: file.name, asked };
  const maxBytes = me.speech.max_upload_bytes;
  if (!checkSize(file, maxBytes)) keepSound(kept, file);
  return startJob(client, { ...kept, file, maxBytes });
}

/** Records, and transcribes when the recording ends. Every chunk is kept, so that a closed page loses half a second at most. */
export function record(client: QueryClient, me: Me, asked: Asked): Promise<void> {
  const name = texts.recordingName(formatDateTime(new Date().toISOString()));
  const kept = { id: randomId(), userId: me.user_id, name, asked };
  const maxBytes = me.speech.max_upload_bytes;
  const release = holdInTab(kept.id);
  let order = 0;
  return startRecording({
    maxBytes,
    onChunk: (chunk) => keepSound(kept, chunk, order++),
    onDiscarded() {
      release();
      void forgetSound(kept);
    },
    onFinished(file, full) {
      if (full) toast({ title: texts.recordingStopped });
      void startJob(client, { ...kept, file, maxBytes });
      release();
    },
  });
}

/** Transcribes what an earlier visit could not, such as a recording whose page was closed. */
export async function resumeJob(client: QueryClient, me: Me): Promise<void> {
  for (const kept of await keptRecordings(me.user_id)) {
    if (current.get() || !(await isFreeInTabs(kept.id))) continue;
    toast({ title: texts.resumed(kept.name) });
    await startJob(client, { ...kept, maxBytes: me.speech.max_upload_bytes });
  }
}
