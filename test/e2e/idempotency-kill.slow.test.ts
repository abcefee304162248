import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Config } from '../../src/config.ts';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { composeServices } from '../../src/services.ts';
import { asOperator } from '../support/identity.ts';
import { type ServerProcess, startServer } from '../support/process.ts';
import { databaseKinds, emptyDatabase } from '../support/steno.ts';
import { teamActs } from '../support/teams.ts';

const rounds = 4;
const perRound = 12;

async function createKey(config: Config): Promise<string> {
  const services = await composeServices(config);
  const { close } = services;
  const { users } = asOperator(services);
  const { keys } = teamActs(services);
  const { id } = await users.add({ name: 'Ada', email: null, plan: 'business' });
  const { key } = await keys.issue(operator, personalKeysOf(id), { name: 'test', scopes: personalScopes });
  await close();
  return key;
}

/** The id of the note, or undefined when the server died first or says that the first request still runs. */
async function create({ address }: ServerProcess, key: string, name: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${address}/api/v1/notes/create`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': name,
      },
      body: JSON.stringify({ content: name }),
    });
    const { data } = JSON.parse(await response.text());
    return data?.id;
  } catch {
    return undefined;
  }
}

describe.each(databaseKinds)('a server that is killed, on %s', (databaseKind) => {
  test('creates what was asked for with one key once, however often it is asked', async () => {
    const { config, dispose } = await emptyDatabase(databaseKind);
    const { dataDir, databaseUrl } = config;
    const key = await createKey(config);
    let server = await startServer({ dataDir, databaseUrl });
    try {
      for (let round = 0; round < rounds; round += 1) {
        const names = Array.from({ length: perRound }, (_, at) => `round ${round}, note ${at}`);
        const sent = names.map((name) => create(server, key, name));
        await sleep(randomInt(1, 60));
        await server.kill();
        const told = await Promise.all(sent);
        server = await startServer({ dataDir, databaseUrl });
        for (const [at, name] of names.entries()) {
          const retried = await create(server, key, name);
          expect(retried, `${name} is stuck`).toBeDefined();
          if (told[at] !== undefined) expect(retried, name).toBe(told[at]);
          expect(await create(server, key, name), name).toBe(retried);
        }
      }
      const list = await fetch(`${server.address}/api/v1/notes/list?limit=100`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const { data } = JSON.parse(await list.text());
      const contents = data.map(({ content }: { content: string }) => content);
      expect(contents).toHaveLength(rounds * perRound);
      expect(new Set(contents).size).toBe(rounds * perRound);
    } finally {
      await server.kill();
      await dispose();
    }
  });
});
