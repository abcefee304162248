import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { strings } from '../../strings.ts';
import { toast } from '../../ui/toast.tsx';
import { checkSize } from './problems.ts';
import { type Asked, type TranscribeResult, transcribe } from './upload.ts';

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

let current: Job | undefined;
let running: AbortController | undefined;
const listeners = new Set<() => void>();

/** Lives outside the screen, so that one may look at a note while the engine works. */
export function useJob(userId: string | undefined): Job | undefined {
  const job = useSyncExternalStore(subscribe, () => current);
  return job?.userId === userId ? job : undefined;
}

export async function startJob(client: QueryClient, given: Given): Promise<void> {
  clearJob();
  const unsendable = checkSize(given.file);
  if (unsendable) return change({ ...given, state: { step: 'failed', error: unsendable } });

  const controller = new AbortController();
  running = controller;
  const { signal } = controller;
  const move = (state: Job['state']) => {
    if (!signal.aborted) change({ ...given, state });
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
    client.invalidateQueries({ queryKey: ['transcriptions'] });
    client.invalidateQueries({ queryKey: ['usage'] });
    if (window.location.pathname !== '/transcribe') toast({ title: words.ready(given.name) });
  } catch (error) {
    move({ step: 'failed', error });
  }
}

/** Ends it on the server too, which then charges nothing. */
export function clearJob(): void {
  running?.abort();
  running = undefined;
  change(undefined);
}

function change(next: Job | undefined): void {
  current = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
