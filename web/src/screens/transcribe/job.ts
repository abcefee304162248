import type { QueryClient } from '@tanstack/react-query';
import { createStore, useStore } from '../../lib/store.ts';
import { type Asked, type TranscribeResult, transcribe } from '../../resources/transcribe.ts';
import { refreshTranscriptions } from '../../resources/transcriptions.ts';
import { refreshUsage } from '../../resources/usage.ts';
import { strings } from '../../strings.ts';
import { toast } from '../../ui/toast.tsx';
import { checkSize } from './problems.ts';

const texts = strings.transcribe;

/** One recording that is being transcribed. It is kept in this page's memory only. */
export interface Job {
  /** Whose recording it is. Nobody else who signs in here sees it. */
  userId: string;
  file: Blob;
  name: string;
  asked: Asked;
  /** The largest file that the server takes. */
  maxBytes: number;
  state:
    | { step: 'sending'; share: number }
    | { step: 'working'; since: number }
    | { step: 'done'; result: TranscribeResult }
    | { step: 'failed'; error: unknown };
}

type Given = Pick<Job, 'userId' | 'file' | 'name' | 'asked' | 'maxBytes'>;

const current = createStore<Job | undefined>(undefined);
let running: AbortController | undefined;

/** Lives outside the screen, so that people can look at a note meanwhile. */
export function useJob(userId: string): Job | undefined {
  const job = useStore(current);
  return job?.userId === userId ? job : undefined;
}

export async function startJob(client: QueryClient, given: Given): Promise<void> {
  clearJob();
  const unsendable = checkSize(given.file, given.maxBytes);
  if (unsendable) return current.set({ ...given, state: { step: 'failed', error: unsendable } });

  const controller = new AbortController();
  running = controller;
  const { signal } = controller;
  const move = (state: Job['state']) => {
    if (!signal.aborted) current.set({ ...given, state });
  };
  move({ step: 'sending', share: 0 });
  try {
    const result = await transcribe({
      ...given,
      signal,
      onSent: (share) =>
        move(share < 1 ? { step: 'sending', share } : { step: 'working', since: Date.now() }),
    });
    move({ step: 'done', result });
    refreshTranscriptions(client);
    refreshUsage(client);
    if (window.location.pathname !== '/transcribe') toast({ title: texts.ready(given.name) });
  } catch (error) {
    move({ step: 'failed', error });
  }
}

/** Also cancels it on the server, which then counts no minutes. */
export function clearJob(): void {
  running?.abort();
  running = undefined;
  current.set(undefined);
}
