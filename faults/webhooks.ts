import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver } from '../test/support/receiver.ts';
import { until } from './client.ts';
import { withClock } from './clock.ts';
import type { Fault } from './fault.ts';

const notesPerRound = 8;

/** The receiver fails a third of the time, and the clock runs fast, so that nobody waits for the next attempt. */
export const killedWhileDelivering = (name: string, databaseUrl: () => string): Fault => ({
  fault: `kill -9 of the server while webhooks are delivered, ${name}`,
  promise: 'every event arrives, and for the first time in the order of the changes',
  async run({ random, rounds }) {
    const accepted: string[] = [];
    const seen = new Set<string>();
    let [failed, twice] = [0, 0];
    const receiver = await startReceiver(({ body, headers }, response) => {
      const isFailure = random.between(1, 3) === 1;
      if (isFailure) failed += 1;
      else if (seen.has(headers['webhook-id'] ?? '')) twice += 1;
      else accepted.push(body.data.id);
      if (!isFailure) seen.add(headers['webhook-id'] ?? '');
      setTimeout(() => response.writeHead(isFailure ? 500 : 200).end(), 20);
      return undefined;
    });
    const options = { databaseUrl: databaseUrl(), settings: { STENO_WEBHOOK_NETWORKS: '127.0.0.1' } };
    let hours = 0;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await withClock(options, async (scene, set) => {
        const { client } = scene;
        const webhook = { url: receiver.url, events: ['note.created'] };
        await client.call(scene.server.address, 'POST', '/webhooks', webhook);
        timer = setInterval(() => {
          hours += 0.01;
          set(hours);
        }, 50);
        for (let round = 0; round < rounds; round += 1) {
          for (let count = 0; count < notesPerRound; count += 1) await client.write(scene.server.address);
          await sleep(random.between(500, 1_300));
          await scene.server.kill();
          await scene.restart();
        }
        const made = client.acknowledged.size;
        await until(async () => accepted.length >= made, 60_000 * rounds);
        const lost = [...client.acknowledged.keys()].filter((id) => !accepted.includes(id)).length;
        // The client writes one note after the other.
        const inOrder = accepted.join() === [...client.acknowledged.keys()].join();
        return {
          held: lost === 0 && inOrder,
          figure: `${made} events in ${rounds} rounds, ${lost} lost, ${failed} attempts failed, ${twice} came twice`,
        };
      });
    } finally {
      clearInterval(timer);
      await receiver.close();
    }
  },
});
