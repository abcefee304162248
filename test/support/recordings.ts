import { setTimeout as sleep } from 'node:timers/promises';
import type { Recording } from '../../src/domain/recording.ts';
import type { TestSteno } from './steno.ts';

/** Uploads a file as the body of POST /recordings. */
export const uploadTo = (steno: TestSteno, key: string, file: Uint8Array, query = '') =>
  steno.call('POST', `/recordings${query}`, {
    key,
    body: file,
    headers: { 'content-type': 'audio/wav' },
  });

/** The recording, once the queue is done with it. */
export async function settled(steno: TestSteno, key: string, id: string): Promise<Recording> {
  // Longer and longer: a busy machine must not bring the key to its limit of requests.
  for (let pauseMs = 10; ; pauseMs = Math.min(1_000, pauseMs * 1.3)) {
    const { status, body } = await steno.call('GET', `/recordings/${id}`, { key });
    if (status !== 200) throw new Error(`GET /recordings/{id} answered ${status}`);
    if (['done', 'failed'].includes(body.data.state)) return body.data;
    await sleep(pauseMs);
  }
}
