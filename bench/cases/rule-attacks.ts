import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { newWebhookSecret } from '../../src/domain/webhook.ts';
import { add } from '../../src/features/webhooks/acts.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { composeServices } from '../../src/services.ts';
import { ours, zipped } from '../../test/support/exports.ts';
import { fetchOk } from '../lib/load.ts';
import type { BenchServer } from '../lib/server.ts';
import { speechFrames, startLiveUpload } from './live-recording.ts';

/** What one person does at once. It says what the server answered. */
export type Attack = [name: string, run: () => Promise<string>];
type Attacker = Pick<BenchServer, 'url' | 'headers'>;

const slowWebhooks = 70;
/** Longer than a quick answer, and shorter than the time after which Steno gives up. */
export const slowAnswerMs = 9_000;
const heldMs = 5_000;

const counted = (statuses: readonly (number | string)[]) =>
  [...Map.groupBy(statuses, String)].map(([status, all]) => `${all.length} × ${status}`).join(', ');

export async function importBombs({ url, headers }: Attacker): Promise<Attack[]> {
  const notes = (text: string) => zipped({ ...ours, 'data/notes.jsonl': text });
  const bombs = {
    '20 MB of line feeds': await notes('\n'.repeat(20_000_000)),
    'a line of nested arrays': await notes(`${'['.repeat(3_900_000)}${']'.repeat(3_900_000)}`),
    'a line of 8 MB of empty arrays': await notes(`[${'[],'.repeat(2_700_000)}1]`),
  };
  const send = async (zip: Buffer) => {
    const answer = await fetch(`${url}/api/v1/import`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/zip' },
      body: new Uint8Array(zip),
    });
    await answer.text();
    return answer.status;
  };
  return Object.entries(bombs).map(
    ([name, zip]): Attack => [
      `imports of ${name} (${Math.round(zip.length / 1000)} kB), four at once`,
      async () => counted(await Promise.all([zip, zip, zip, zip].map(send))),
    ],
  );
}

export function exportsAtOnce({ url, headers }: Attacker, notes: number): Attack {
  const read = async () => {
    const answer = await fetch(`${url}/api/v1/export`, { headers });
    for await (const _ of answer.body ?? []);
    return answer.status;
  };
  return [
    `twelve exports of ${notes} notes at once`,
    async () => counted(await Promise.all(Array.from({ length: 12 }, read))),
  ];
}

/** Half of them follow a recording, half all changes. Each is read until the server ends it. */
export function manyStreams(attacker: Attacker, count: number): Attack {
  const { url, headers } = attacker;
  async function follow(path: string, signal: AbortSignal, opened: () => void) {
    try {
      const answer = await fetch(`${url}/api/v1${path}`, { headers, signal });
      opened();
      for await (const _ of answer.body ?? []);
      return `${answer.status} and ended`;
    } catch (cause) {
      opened();
      return signal.aborted ? 'open to the end' : String(cause);
    }
  }
  return [
    `${count} event streams of one key`,
    async () => {
      const { id } = await startLiveUpload(attacker);
      const hangUp = new AbortController();
      setMaxListeners(0, hangUp.signal);
      const followed: Promise<string>[] = [];
      const opened = Array.from({ length: count }, (_, at) => {
        const path = at % 2 === 0 ? `/recordings/${id}/events` : '/changes/events';
        return new Promise<void>((resolve) => followed.push(follow(path, hangUp.signal, resolve)));
      });
      await Promise.all(opened);
      await sleep(heldMs);
      hangUp.abort();
      return counted(await Promise.all(followed));
    },
  ];
}

/** Each sends a second of sound and is silent then. */
export function manyUploads(attacker: Attacker, count: number): Attack {
  const sound = Buffer.concat(speechFrames().slice(0, 43));
  async function open(): Promise<string> {
    const { id, send } = await startLiveUpload(attacker);
    if (id === '') return 'refused';
    await send(sound);
    return 'opened';
  }
  return [
    `${count} opened uploads`,
    async () => {
      const uploads = await Promise.all(Array.from({ length: count }, open));
      await sleep(heldMs);
      return counted(uploads);
    },
  ];
}

/** Through the store, because one owner may have ten: an attacker has these in as many spaces as it takes. */
export async function addSlowWebhooks(dataDir: string, userId: string, receiverUrl: string): Promise<void> {
  const services = await composeServices(readConfig({ STENO_DATA_DIR: dataDir }));
  const at = new Date().toISOString();
  for (let made = 0; made < slowWebhooks; made += 1)
    await services.act((context) =>
      add(
        context,
        {
          id: newUuid(),
          owner_id: userId,
          account_id: userId,
          key_id: null,
          space_id: null,
          workspace_id: null,
          url: `${receiverUrl}?${made}`,
          events: ['note.created'],
          secret: newWebhookSecret(),
          status: 'active',
          pause_reason: null,
          old_secret_until: null,
          failing_since: null,
          attempts: 0,
          next_attempt_at: at,
          created_at: at,
          updated_at: at,
        },
        slowWebhooks,
      ),
    );
  await services.close();
}

export function slowReceivers({ url, headers }: Attacker, received: readonly unknown[]): Attack {
  return [
    `${slowWebhooks} webhooks whose receivers answer after 9 s`,
    async () => {
      for (let made = 0; made < 3; made += 1)
        await fetchOk(`${url}/api/v1/notes/create`, { method: 'POST', headers, body: '{"content":"x"}' });
      await sleep(2 * slowAnswerMs + 2_000);
      return `${received.length} events sent`;
    },
  ];
}
