import { describe, expect, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { stoppedClock } from '../support/clock.ts';
import { asOperator } from '../support/identity.ts';
import { startServer } from '../support/process.ts';
import { databaseKinds, emptyDatabase, silentLog, startSteno } from '../support/steno.ts';
import { teamActs } from '../support/teams.ts';

const at = Date.UTC(2026, 0, 31, 22, 0, 15);

async function makeKey(server: Awaited<ReturnType<typeof compose>>): Promise<string> {
  const user = await asOperator(server).users.add({ name: 'Ada', email: null, plan: 'pro' });
  const draft = { name: 'test', scopes: ['notes:read'] };
  return (await teamActs(server).keys.issue(operator, personalKeysOf(user.id), draft)).key;
}

describe.each(databaseKinds)('after a restart on %s', (databaseKind) => {
  test('what a key has used is still used', async () => {
    const database = await emptyDatabase(databaseKind);
    const options = { log: silentLog, clock: stoppedClock(at) };
    const url = '/api/v1/me';
    const first = await compose(database.config, options);
    const headers = { authorization: `Bearer ${await makeKey(first)}` };
    for (let used = 0; used < 110; used += 1) await first.app.inject({ url, headers });
    await first.close();
    const second = await compose(database.config, options);
    const statuses = [];
    for (let call = 0; call < 12; call += 1)
      statuses.push((await second.app.inject({ url, headers })).statusCode);
    expect(statuses).toEqual([...Array(10).fill(200), 429, 429]);
    await second.close();
    await database.dispose();
  });
});

describe.runIf(databaseKinds.includes('postgres'))('two servers on one PostgreSQL', () => {
  test('share one exact count', async () => {
    const database = await emptyDatabase('postgres');
    const options = { log: silentLog, clock: stoppedClock(at) };
    const servers = [
      await compose(database.config, options),
      await compose(database.config, options),
    ] as const;
    const headers = { authorization: `Bearer ${await makeKey(servers[0])}` };
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        servers[index % 2 ? 1 : 0].app.inject({ url: '/api/v1/me', headers }),
      ),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(120);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(180);
    for (const server of servers) await server.close();
    await database.dispose();
  });

  test('share it as two processes too', async () => {
    const database = await emptyDatabase('postgres');
    const setUp = await compose(database.config, { log: silentLog });
    const headers = { authorization: `Bearer ${await makeKey(setUp)}` };
    await setUp.close();
    const { dataDir, databaseUrl } = database.config;
    const servers = await Promise.all([
      startServer({ dataDir, databaseUrl }),
      startServer({ dataDir, databaseUrl }),
    ]);
    // These have the real clock. A minute may end meanwhile, so there are more calls than two minutes allow.
    const answers = await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const answer = await fetch(`${servers[index % 2]?.address}/api/v1/me`, { headers });
        await answer.arrayBuffer();
        return { status: answer.status, window: answer.headers.get('x-ratelimit-reset') };
      }),
    );
    await Promise.all(servers.map((server) => server.stop()));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { window } of refused)
      expect(answers.filter((answer) => answer.status === 200 && answer.window === window)).toHaveLength(120);
    await database.dispose();
  });
});

describe('failed sign-ins', () => {
  const wrong = `Bearer owk_live_${'A'.repeat(43)}`;

  test('are throttled per address for a minute, and never hold up a valid key', async () => {
    const clock = stoppedClock(at);
    const steno = await startSteno({ clock, config: { authFailuresPerMinute: 3 } });
    const { key } = await steno.person();
    const attempt = async (remoteAddress: string, authorization = wrong) => {
      const answer = await steno.app.inject({ url: '/api/v1/me', remoteAddress, headers: { authorization } });
      return [answer.statusCode, answer.headers['retry-after'], answer.json().error?.code];
    };
    const refused = [401, undefined, 'invalid_api_key'];
    const throttled = [429, '45', 'rate_limited'];
    const answers = [];
    for (let count = 0; count < 5; count += 1) answers.push(await attempt('10.0.0.1'));
    expect(answers).toEqual([refused, refused, refused, throttled, throttled]);
    expect(await attempt('10.0.0.1', `Bearer ${key}`)).toEqual([200, undefined, undefined]);
    expect(await attempt('10.0.0.2')).toEqual(refused);
    clock.advance(45_000);
    expect(await attempt('10.0.0.1')).toEqual(refused);
    await steno.close();
  });

  test.each([
    ['no proxy is trusted: the header is nobody', [], '10.0.0.9', 429],
    ['the proxy is trusted: each client counts for itself', ['10.0.0.9'], '10.0.0.9', 401],
    ['its network is trusted', ['10.0.0.0/24'], '10.0.0.9', 401],
    ['another proxy is trusted', ['192.168.0.1'], '10.0.0.9', 429],
  ])('are counted by X-Forwarded-For only when %s', async (_name, trustedProxies, remoteAddress, last) => {
    const steno = await startSteno({
      config: { authFailuresPerMinute: 2, trustedProxies },
      clock: stoppedClock(at),
    });
    const statuses = [];
    for (let client = 1; client <= 3; client += 1) {
      const headers = { authorization: wrong, 'x-forwarded-for': `203.0.113.${client}` };
      statuses.push((await steno.app.inject({ url: '/api/v1/me', remoteAddress, headers })).statusCode);
    }
    expect(statuses).toEqual([401, 401, last]);
    await steno.close();
  });

  test('cannot be hidden behind addresses made up in front of a trusted proxy', async () => {
    const config = { authFailuresPerMinute: 2, trustedProxies: ['10.0.0.9'] };
    const steno = await startSteno({ config, clock: stoppedClock(at) });
    const statuses = [];
    for (let made = 1; made <= 3; made += 1) {
      const headers = { authorization: wrong, 'x-forwarded-for': `1.1.1.${made}, 203.0.113.5` };
      const answer = await steno.app.inject({ url: '/api/v1/me', remoteAddress: '10.0.0.9', headers });
      statuses.push(answer.statusCode);
    }
    expect(statuses).toEqual([401, 401, 429]);
    await steno.close();
  });
});
