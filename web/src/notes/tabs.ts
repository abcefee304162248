import { whenFreeInTabs } from '../lib/tab-locks.ts';

/** What the pages of one browser tell each other about a note. */
export type Message =
  /** Another page wants to write. */
  | { type: 'wanted'; key: string }
  /** The page that wrote has put its text into the journal and stops. */
  | { type: 'handed'; key: string }
  /** What is being written. */
  | { type: 'text'; key: string; title: string; content: string };

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('steno-notes');

export const tell = (message: Message) => channel?.postMessage(message);

export function hear(listener: (message: Message) => void): () => void {
  const listen = ({ data }: MessageEvent<Message>) => listener(data);
  channel?.addEventListener('message', listen);
  return () => channel?.removeEventListener('message', listen);
}

/** Resolves when another page answers, or is too busy or asleep to answer. */
export async function hearOnce(type: Message['type'], key: string, patienceMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = hear((message) => {
    if (message.type === type && message.key === key) resolve();
  });
  const timer = setTimeout(resolve, patienceMs);
  await promise;
  clearTimeout(timer);
  stop();
}

const lockOf = (key: string) => `writes/${key}`;

/** Resolves when no page writes the note. */
export const whenFree = (key: string) => whenFreeInTabs(lockOf(key));

/**
 * The right to write a note, for one page of the browser. Undefined while another page has it. `onLost` is called when another
 * page takes it. Where browsers have no locks, every page may write; sessions and merging keep the text safe then.
 */
export function claim(key: string, steal: boolean, onLost: () => void): Promise<(() => void) | undefined> {
  if (!navigator.locks) return Promise.resolve(() => {});
  const { promise: answer, resolve: answered } = Promise.withResolvers<(() => void) | undefined>();
  const { promise: end, resolve: release } = Promise.withResolvers<void>();
  navigator.locks
    .request(lockOf(key), steal ? { steal } : { ifAvailable: true }, (lock) => {
      answered(lock ? release : undefined);
      return lock ? end : undefined;
    })
    .catch(onLost);
  return answer;
}
