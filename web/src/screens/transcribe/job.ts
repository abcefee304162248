import type { QueryClient } from '@tanstack/react-query';
import { createStore, useStore } from '../../lib/store.ts';
import { type Asked, type TranscribeResult, transcribe } from '../../resources/transcribe.ts';
import { refreshTranscriptions } from '../../resources/transcriptions.ts';
import { refreshUsage } from '../../resources/usage.ts';
import { strings } from '../../strings.ts';
import { toast } from '../../ui/toast.tsx';
import { checkSize } from './problems.ts';

const words = strings.transcribe;

/** One recording on its way to a transcript. The recording itself never leaves this page's memory but to be heard. */
export interface Job {
  /** Whose it is: after another person has signed in, it is not shown. */
  userId: string;
  file: Blob;
  name: string;
  asked: Asked;
  state:
    | { step: 'sending'; share: number }
    | { step: 'working'; since: number }
    | { step: 'done'; result: TranscribeResult }
    | { step: 'failed'; error: unknown };
}

type Given = Pick<Job, 'userId' | 'file' | 'name' | 'asked'>;

const current = createStore<Job | undefined>(undefined);
let running: AbortController | undefined;

/** Lives outside the screen, so that one may look at a note while the engine works. */
export function useJob(userId: string | undefined): Job | undefined {
  const job = useStore(current);
  return job?.userId === userId ? job : undefined;
}

export async function startJob(client: QueryClient, given: Given): Promise<void> {
  clearJob();
  const unsendable = checkSize(given.file);
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
    if (window.location.pathname !== '/transcribe') toast({ title: words.ready(given.name) });
  } catch (error) {
    move({ step: 'failed', error });
  }
}

/** Ends it on the server too, which then charges nothing. */
export function clearJob(): void {
  running?.abort();
  running = undefined;
  current.set(undefined);
}
