import { expect, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { stoppedClock } from '../support/clock.ts';
import { emptyDatabase, silentLog } from '../support/steno.ts';

test('failed sign-ins are counted for the installation, not for each server', async () => {
  const database = await emptyDatabase('postgres');
  const config = { ...database.config, authFailuresPerMinute: 6 };
  const clock = stoppedClock(Date.UTC(2026, 0, 31, 22, 0, 15));
  const servers = [
    await compose(config, { log: silentLog, clock }),
    await compose(config, { log: silentLog, clock }),
  ];
  const attempt = async (index: number, remoteAddress: string) => {
    const headers = { authorization: `Bearer owk_live_${String(index).padStart(43, 'A')}` };
    const answer = await servers[index % 2]?.app.inject({ url: '/api/v1/me', remoteAddress, headers });
    return answer?.statusCode;
  };
  const statuses = await Promise.all(Array.from({ length: 20 }, (_, index) => attempt(index, '10.0.0.1')));
  expect(statuses.filter((status) => status === 401)).toHaveLength(6);
  expect(statuses.filter((status) => status === 429)).toHaveLength(14);
  expect(await attempt(0, '10.0.0.2')).toBe(401);
  clock.advance(45_000);
  expect(await attempt(1, '10.0.0.1')).toBe(401);
  for (const server of servers) await server.close();
  await database.dispose();
});
