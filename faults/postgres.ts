import type { TestPostgres } from '../test/support/postgres.ts';
import { isHonest, statusOf, until } from './client.ts';
import type { Fault } from './fault.ts';
import { withServer } from './scene.ts';

/** Takes PostgreSQL away under load and brings it back. */
export const postgresEnds = (
  fault: string,
  signal: 'SIGINT' | 'SIGKILL',
  postgres: () => TestPostgres,
  databaseUrl: () => string,
): Fault => ({
  fault,
  promise: '503 with Retry-After while it is away; back by itself, with every acknowledged write',
  run: ({ rounds }) =>
    withServer({ databaseUrl: databaseUrl() }, async ({ client, server: { address } }) => {
      let [refused, dishonest, slowest, wasReady] = [0, 0, 0, 0];
      for (let round = 0; round < rounds; round += 1) {
        await until(async () => (await client.write(address)).status === 201);
        // Requests on their way when it ends get an honest answer too.
        const under = Array.from({ length: 10 }, () => client.write(address));
        await postgres().crash(signal);
        const answers = [
          ...(await Promise.all(under)),
          await client.write(address),
          await client.write(address),
        ];
        const faults = answers.filter(({ status }) => status !== 201);
        refused += faults.length;
        dishonest += faults.filter((answer) => !isHonest(answer)).length;
        if ((await statusOf(address, '/healthz')) !== 200) dishonest += 1;
        if ((await statusOf(address, '/readyz')) !== 503) wasReady += 1;
        await postgres().start();
        slowest = Math.max(slowest, await until(async () => (await client.write(address)).status === 201));
      }
      const lost = await client.lost(address);
      return {
        held: refused > 0 && dishonest + wasReady + lost === 0,
        figure: `${refused} refused, ${dishonest} without 503 and Retry-After; ${client.acknowledged.size} writes acknowledged, ${lost} lost; back in ${slowest} ms`,
      };
    }),
});
