import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Config } from '../../src/config.ts';
import { composeServices } from '../../src/services.ts';
import { encodeForm } from '../support/form.ts';
import { asOperator } from '../support/identity.ts';
import { startServer } from '../support/process.ts';
import { databaseKinds, emptyDatabase } from '../support/steno.ts';
import { teamActs } from '../support/teams.ts';

const preload = new URL('../support/die-at.ts', import.meta.url).href;
const wav = readFileSync(new URL('../fixtures/audio/sb_spk1_snt6.wav', import.meta.url));

interface Asked {
  path: string;
  payload: string | Buffer;
  headers: Record<string, string>;
}

const json = (path: string, body: object): Asked => ({
  path,
  payload: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

/** Follows a sign-in link as a browser does. */
async function sessionFrom(link: string): Promise<string> {
  const cookie = (await fetch(link)).headers.get('set-cookie')?.split(';')[0] ?? '';
  const headers = { cookie, origin: new URL(link).origin };
  const answer = await fetch(link, { method: 'POST', headers, redirect: 'manual' });
  return answer.headers.get('set-auth-token') ?? '';
}

describe.each(databaseKinds)('a server that ends within a request with an Idempotency-Key, on %s', (kind) => {
  let config: Config;
  let dispose: () => Promise<void>;
  let session: string;
  let userId: string;
  let workspaceId: string;
  beforeAll(async () => {
    ({ config, dispose } = await emptyDatabase(kind));
    const services = await composeServices(config);
    userId = (await asOperator(services).users.add({ name: 'Ada', email: null, plan: 'business' })).id;
    workspaceId = (await teamActs(services).workspaces.create({ userId }, { name: 'Team' })).id;
    const { path } = await asOperator(services).sessions.createSignInLink(userId);
    await services.close();
    const server = await startServer(config);
    session = await sessionFrom(server.address + path);
    await server.stop();
  });
  afterAll(() => dispose());

  const send = (address: string, { path, payload, headers }: Asked, key: string) =>
    fetch(address + path, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${session}`, 'idempotency-key': key },
      body: payload,
    }).then(
      async (answer) => ({ status: answer.status, text: await answer.text(), headers: answer.headers }),
      () => 'cut off' as const,
    );

  const rowsOf = async (table: 'notes' | 'usage_ledger' | 'invitations') => {
    const { database, close } = await composeServices(config);
    const rows = await database.db.selectFrom(table).selectAll().execute();
    await close();
    return rows.length;
  };

  test.each<['before' | 'after', 'notes' | 'usage_ledger' | 'invitations']>([
    ['before', 'notes'],
    ['after', 'notes'],
    ['before', 'usage_ledger'],
    ['after', 'usage_ledger'],
    ['before', 'invitations'],
    ['after', 'invitations'],
  ])('%s the commit leaves one row in %s when it is asked again', async (moment, table) => {
    const { payload, headers } = encodeForm({ file: wav });
    const asked: Asked = {
      notes: json('/api/v1/notes/create', { content: `mine, ${moment} `.repeat(300) }),
      usage_ledger: { path: '/api/v1/transcribe', payload, headers },
      invitations: json(`/api/workspaces/${workspaceId}/invitations`, { email: `${moment}@example.org` }),
    }[table];
    const key = `${moment} ${table}`;
    const before = await rowsOf(table);

    const dying = await startServer({
      ...config,
      settings: { NODE_OPTIONS: `--import=${preload}`, TEST_DIE: moment },
    });
    expect(await send(dying.address, asked, key)).toBe('cut off');
    expect((await dying.ended).signal).toBe('SIGKILL');
    // Created with its answer, or not at all.
    expect((await rowsOf(table)) - before).toBe(moment === 'after' ? 1 : 0);

    const server = await startServer(config);
    const [first, second] = [await send(server.address, asked, key), await send(server.address, asked, key)];
    await server.stop();
    if (first === 'cut off' || second === 'cut off') throw new Error('no answer');
    expect([200, 201]).toContain(first.status);
    expect(first.headers.get('idempotency-replayed')).toBe(moment === 'after' ? 'true' : null);
    expect([second.text, second.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    expect((await rowsOf(table)) - before).toBe(1);
  });
});
