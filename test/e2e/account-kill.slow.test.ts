import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { operator } from '../../src/domain/principal.ts';
import { list } from '../../src/features/audit/queries.ts';
import { composeServices } from '../../src/services.ts';
import { asOperator } from '../support/identity.ts';
import { signInBy } from '../support/operator-of.ts';
import { newFolder, type ServerProcess, startServer } from '../support/process.ts';
import { teamActs } from '../support/teams.ts';

const preload = new URL('../support/die-at.ts', import.meta.url).href;
const wav = readFileSync(new URL('../fixtures/audio/sb_spk1_snt6.wav', import.meta.url));

/** Where in the deletion the server dies, and whether the account is gone after that. */
const moments = [
  ['before its notes are deleted', 'delete from "notes"', false],
  ['between its notes and its keys', 'delete from "api_keys"', false],
  ['before the account is deleted', 'delete from "users"', false],
  ['before the commit', 'delete from "users" > commit', false],
  ['after the commit, before the audio is deleted', 'delete from "users" > commit > remove', true],
  ['after the audio is deleted', 'delete from "users" > commit > remove > delete from "doomed_sounds"', true],
] as const;

const prepared = newFolder();
let team: Awaited<ReturnType<typeof prepare>>;
let dataDir = prepared;
let server: ServerProcess | undefined;
beforeAll(async () => {
  team = await prepare();
});
afterAll(() => rmSync(prepared, { recursive: true, force: true }));
beforeEach(() => {
  dataDir = newFolder();
  cpSync(prepared, dataDir, { recursive: true });
});
afterEach(async () => {
  await server?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

async function withServices<Result>(
  work: (services: Awaited<ReturnType<typeof composeServices>>) => Promise<Result>,
): Promise<Result> {
  const services = await composeServices(readConfig({ STENO_DATA_DIR: dataDir }));
  return work(services).finally(() => services.close());
}

/** Ada is an admin of a team, alone in another workspace, and has one of what an account may have. Root runs the server. */
async function prepare() {
  const { links, team, alone, space, ada } = await withServices(async (services) => {
    const { users, sessions } = asOperator(services);
    const { workspaces, spaces, members } = teamActs(services);
    const add = (name: string) => users.add({ name, email: `${name}@example.org`, plan: 'business' });
    const [root, found] = [await add('root'), await add('ada')];
    await users.setOperator(root.id, true);
    const shared = await workspaces.create({ userId: root.id }, { name: 'Team' });
    await members.add(operator, shared.id, { user_id: found.id, role: 'admin' });
    const place = { name: 'General', description: null, emoji: null };
    const made = await workspaces.create({ userId: found.id }, { name: 'Alone' });
    await spaces.create(operator, made.id, place);
    const link = async (id: string) => (await sessions.createSignInLink(id)).path;
    return {
      ada: found.id,
      team: shared.id,
      alone: made.id,
      space: (await spaces.create(operator, shared.id, place)).id,
      links: { root: await link(root.id), ada: await link(found.id) },
    };
  });
  server = await startServer({ dataDir });
  const tokens = {
    root: await signInBy(server.address, links.root),
    ada: await signInBy(server.address, links.ada),
  };
  const call = callerOf(tokens);
  await call('ada', 'POST', '/api/v1/notes/create', { content: 'mine alone' });
  const note = await call('ada', 'POST', '/api/v1/notes/create', { content: 'of the team', space_id: space });
  const bot = await call('ada', 'POST', `/api/workspaces/${team}/api-keys`, {
    name: 'Bot',
    scopes: ['workspace:*'],
  });
  const recorded = await call('ada', 'POST', '/api/v1/recordings?note=false', wav);
  const state = async () =>
    (await call('ada', 'GET', `/api/v1/recordings/${recorded.body.data.id}`)).body.data.state;
  while ((await state()) !== 'done') await sleep(100);
  await server.stop();
  return {
    tokens: { ...tokens, bot: bot.body.data.key as string },
    ids: { ada, team, alone, note: note.body.data.id as string },
    sound: join('recordings', `${recorded.body.data.id}.sound`),
  };
}

const callerOf =
  (tokens: Record<string, string>) =>
  async (who: string, method: string, path: string, body?: object | Buffer) => {
    const type = body instanceof Buffer ? 'audio/wav' : 'application/json';
    const answer = await fetch(`${server?.address}${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens[who]}`, ...(body ? { 'content-type': type } : {}) },
      ...(body ? { body: body instanceof Buffer ? new Uint8Array(body) : JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  };

type Moment = readonly [when: string, steps: string, isGone: boolean];
const ownMoment: Moment = [
  'in the middle of a workspace in which nobody else is',
  'delete from "workspaces"',
  false,
];
const othersMoment: Moment = [
  'before the log of its changes is deleted',
  'delete from "users" > delete from "changes"',
  false,
];

describe.each([
  ['their own account', ownMoment],
  ['an account as an operator', othersMoment],
] as const)('somebody deletes %s', (which, further) => {
  test.each([...moments, further])('and the server dies %s', async (_, steps, isGone) => {
    const isOwn = which === 'their own account';
    const { tokens, ids } = team;
    const sound = join(dataDir, team.sound);
    const call = callerOf(tokens);
    const remove = () =>
      isOwn
        ? call('ada', 'DELETE', '/api/account', { confirm: 'ada@example.org' })
        : call('root', 'DELETE', `/api/operator/people/${ids.ada}`);
    expect(existsSync(sound)).toBe(true);
    const settings = { NODE_OPTIONS: `--import=${preload}`, TEST_DIE_AT_STEPS: steps };
    const dying = await startServer({ dataDir, settings });
    server = dying;
    await expect(remove()).rejects.toThrow();
    expect((await dying.ended).signal).toBe('SIGKILL');

    server = await startServer({ dataDir });
    const isThere = async () => (await call('ada', 'GET', '/api/v1/me')).status === 200;
    expect(await isThere()).toBe(!isGone);
    if (!isGone) {
      // Nothing is missing, and it can be deleted now.
      const { body } = await call('ada', 'GET', '/api/v1/notes/list');
      expect(body.data).toHaveLength(1);
      expect(existsSync(sound)).toBe(true);
      expect((await remove()).status).toBe(204);
      expect(await isThere()).toBe(false);
    }
    // The housekeeping of the start deletes what the dead server left.
    await expect.poll(() => readdirSync(join(dataDir, 'recordings'))).toEqual([]);
    // The team keeps its note and its key, and somebody who governs it.
    expect((await call('bot', 'GET', `/api/v1/notes/${ids.note}`)).body.data.content).toBe('of the team');
    const { body: members } = await call('root', 'GET', `/api/workspaces/${ids.team}/members`);
    expect(members.data.map(({ role }: { role: string }) => role)).toEqual(['admin']);
    await server.stop();
    await withServices(async ({ database: { db } }) => {
      const left = await db.selectFrom('workspaces').select('id').execute();
      // Whoever removes an account as an operator decides about its workspaces themselves.
      expect(left.map(({ id }) => id).includes(ids.alone)).toBe(!isOwn);
      const told = await list(db, { act: 'account.removed' }, { limit: 10 });
      expect(told.map(({ subject_id }) => subject_id)).toEqual([ids.ada]);
      for (const table of ['notes', 'recordings', 'doomed_sounds'] as const) {
        const rows = await db.selectFrom(table).selectAll().execute();
        expect([table, rows.length]).toEqual([table, table === 'notes' ? 1 : 0]);
      }
    });
  });
});
