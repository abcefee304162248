import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { startReceiver } from '../../test/support/receiver.ts';
import { follow, frameSeconds, pieceMs, speechFrames, startLiveUpload } from '../cases/live-recording.ts';
import { fetchOk } from './load.ts';
import type { BenchServer } from './server.ts';

type Listener = Pick<BenchServer, 'url' | 'headers'>;

/** In ms: how long an event of a webhook took, and how long a speaker saw no new words. */
interface SlowestEvents {
  webhookMs: number;
  wordsMs: number;
}

/** One person has a webhook and speaks all the time, in a thread of its own as in slowest-answers.ts. */
export function watchEvents({ url, headers }: Listener) {
  const thread = new Worker(new URL(import.meta.url), { workerData: { url, headers } });
  return {
    /** The slowest since the last call; what has not come yet counts up to now. */
    slowest(): Promise<SlowestEvents> {
      thread.postMessage('slowest');
      return new Promise((resolve) => thread.once('message', resolve));
    },
    end: () => thread.terminate(),
  };
}

/** The longest time between two signs of life. */
function createGap() {
  let since: number | undefined;
  let most = 0;
  const count = () => {
    if (since !== undefined) most = Math.max(most, performance.now() - since);
  };
  return {
    begin: () => {
      since = performance.now();
    },
    end: () => {
      count();
      since = undefined;
    },
    take(): number {
      count();
      const taken = most;
      most = 0;
      return taken;
    },
  };
}

async function hear({ url, headers }: Listener, gap: ReturnType<typeof createGap>): Promise<never> {
  let came = () => {};
  const receiver = await startReceiver(() => {
    came();
    return 204;
  });
  const post = (path: string, body: object) =>
    fetchOk(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  await post('/webhooks', { url: receiver.url, events: ['note.created'] });
  for (;;) {
    const arrived = new Promise<void>((resolve) => {
      came = resolve;
    });
    gap.begin();
    await post('/notes/create', { content: 'an event' });
    await arrived;
    gap.end();
    await sleep(500);
  }
}

async function speakOn(steno: Listener, gap: ReturnType<typeof createGap>): Promise<never> {
  const frames = speechFrames();
  const { id, send } = await startLiveUpload(steno);
  const listen = async (): Promise<never> => {
    // A stream ends after five minutes.
    for (;;) {
      await follow(steno, id, () => {
        gap.end();
        gap.begin();
      });
      await sleep(100);
    }
  };
  void listen();
  gap.begin();
  const perPiece = Math.round(pieceMs / 1000 / frameSeconds);
  for (let from = 0; ; from = (from + perPiece) % frames.length) {
    await send(Buffer.concat(frames.slice(from, from + perPiece)));
    await sleep(pieceMs);
  }
}

if (!isMainThread) {
  const steno: Listener = workerData;
  const [webhook, words] = [createGap(), createGap()];
  parentPort?.on('message', () => {
    const slowest: SlowestEvents = { webhookMs: webhook.take(), wordsMs: words.take() };
    parentPort?.postMessage(slowest);
  });
  void hear(steno, webhook);
  void speakOn(steno, words);
}
