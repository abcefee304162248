import type { stoppedClock } from './clock.ts';
import { allCommitted } from './horizon.ts';
import { seededRandom } from './random.ts';
import { startReceiver } from './receiver.ts';
import type { TestSteno } from './steno.ts';

/**
 * Makes `events` notes and lets a webhook tell them to a receiver that fails a third of the time. Gives the ids that were
 * made, in the order of their changes, and those that the receiver accepted.
 */
export async function runWebhook(
  steno: TestSteno,
  clock: ReturnType<typeof stoppedClock>,
  { events, seed }: { events: number; seed: number },
) {
  const random = seededRandom(seed);
  const accepted: string[] = [];
  let failed = 0;
  const receiver = await startReceiver(({ body }) => {
    if (random.between(1, 3) === 1) {
      failed += 1;
      return 500;
    }
    accepted.push(body.data.id);
    return 200;
  });
  const { user, key } = await steno.person();
  const post = async (path: string, body: object) => {
    const answer = await steno.call('POST', path, { key, body });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body.data;
  };
  await allCommitted(steno.database);
  await post('/webhooks', { url: receiver.url, events: ['note.created'] });
  const start = await steno.store.changes.end();
  const perRound = 50;
  for (let made = 0; made < events; made += perRound) {
    await Promise.all(
      Array.from({ length: Math.min(perRound, events - made) }, () =>
        post('/notes/create', { content: 'x' }),
      ),
    );
    // New limits for the key, and time to try again.
    clock.advance(60_000);
  }
  await allCommitted(steno.database);
  const began = performance.now();
  while (accepted.length < events) {
    await steno.delivery.settle();
    clock.advance(30_000);
  }
  const ms = performance.now() - began;
  const made: string[] = [];
  for (let at = start; ; ) {
    const changes = await steno.store.changes.read(user.id, at, 500);
    const last = changes.at(-1);
    if (!last) break;
    made.push(...changes.map(({ id }) => id));
    at = last;
  }
  await receiver.close();
  return { made, accepted, failed, ms };
}
