import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readConfig } from '../../src/config.ts';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { composeServices } from '../../src/services.ts';
import { asOperator } from '../../test/support/identity.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import { teamActs } from '../../test/support/teams.ts';
import { createCorpus } from '../lib/corpus.ts';
import { fetchOk, load, ratioInTurns, throughput } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { type BenchData, createDataDir, startScript, startServer } from '../lib/server.ts';

const connections = 32;
const readGoal = 0.6;
const createGoal = 1;
const tailGoalMs = 50;
const manyKeys = 1_000;
const bareLoops = join(import.meta.dirname, '../bare-postgres.ts');
const content = createCorpus(1).sentence(60);

/** A server on a PostgreSQL of its own that waits for the disk, with one note. */
async function startOnPostgres() {
  const postgres = await startPostgres({ durable: true });
  const data = await createDataDir(postgres.url);
  const steno = await startServer(data);
  const create = {
    url: `${steno.url}/api/v1/notes/create`,
    method: 'POST' as const,
    headers: steno.headers,
    body: JSON.stringify({ title: 'A note', content }),
  };
  const { data: note } = JSON.parse(await fetchOk(create.url, create));
  return {
    postgres,
    data,
    steno,
    create,
    noteId: String(note.id),
    read: { url: `${steno.url}/api/v1/notes/${note.id}`, headers: steno.headers },
    async stop() {
      await steno.stop();
      data.remove();
      await postgres.stop();
    },
  };
}

export const postgresGet: Measure = {
  name: 'PostgreSQL: GET /notes/{id} against a server that asks nobody who they are and reads the same row, 32 connections',
  goal: `>= ${readGoal}`,
  async run({ scale }) {
    const { postgres, read, noteId, stop } = await startOnPostgres();
    const bare = await startScript('bare-postgres.ts', ['read', postgres.url]);
    const seconds = Math.max(2, 8 * scale);
    const ours = () => throughput({ ...read, connections, seconds });
    const theirs = () => throughput({ url: `${bare.url}/${noteId}`, connections, seconds });
    await ours();
    await theirs();
    const result = await ratioInTurns(5, ours, theirs);
    await bare.stop();
    await stop();
    const detail = `${Math.round(result.ours)} against ${Math.round(result.theirs)} requests a second`;
    return { value: result.ratio, met: result.ratio >= readGoal, detail };
  },
};

export const postgresCreate: Measure = {
  name: 'PostgreSQL: POST /notes/create, 32 connections, against 32 loops that commit one such insert at a time',
  goal: `>= ${createGoal}`,
  async run({ scale }) {
    const { postgres, create, stop } = await startOnPostgres();
    const seconds = Math.max(2, 8 * scale);
    const ours = () => throughput({ ...create, connections, seconds });
    const theirs = async () => {
      const args = [bareLoops, 'insert', postgres.url, content, String(seconds)];
      return Number((await promisify(execFile)(process.execPath, args)).stdout);
    };
    await ours();
    const result = await ratioInTurns(3, ours, theirs);
    await stop();
    const detail = `${Math.round(result.ours)} against ${Math.round(result.theirs)} notes a second`;
    return { value: result.ratio, met: result.ratio >= createGoal, detail };
  },
};

export const postgresTail: Measure = {
  name: 'PostgreSQL: the slowest hundredth of GET, list and create, 32 connections, with one key and with 1,000',
  goal: `< ${tailGoalMs} ms`,
  async run({ scale }) {
    const { data, steno, create, read, stop } = await startOnPostgres();
    const keys = await makeKeys(data, Math.max(connections, Math.round(manyKeys * scale)));
    const seconds = Math.max(2, 8 * scale);
    const list = { url: `${steno.url}/api/v1/notes/list?limit=50`, headers: steno.headers };
    const shown: string[] = [];
    let worst = 0;
    for (const [name, call] of Object.entries({ GET: read, list, create })) {
      // With the keys of others, the note is not theirs to read, and their list is empty: both are read all the same.
      const url = name === 'GET' ? `${steno.url}/api/v1/me` : call.url;
      const withKey = (key: string) => ({
        ...call,
        url,
        headers: { ...call.headers, authorization: `Bearer ${key}` },
      });
      const one = await load({ ...call, connections, seconds });
      const many = await load({
        ...call,
        connections,
        seconds,
        // Each connection has keys of its own, so that all keys are in use at once.
        callsOf: (place) => keys.filter((_, at) => at % connections === place).map(withKey),
      });
      worst = Math.max(worst, one.p99, many.p99);
      shown.push(`${name} ${one.p99} and ${many.p99} ms`);
    }
    await stop();
    return { value: worst, met: worst < tailGoalMs, detail: `${shown.join(', ')}; ${keys.length} keys` };
  },
};

/** Keys of as many people, straight from the services. */
async function makeKeys({ dataDir, databaseUrl }: BenchData, count: number): Promise<string[]> {
  const services = await composeServices(
    readConfig({ STENO_DATA_DIR: dataDir, STENO_DATABASE_URL: databaseUrl }),
  );
  const { close } = services;
  const { users } = asOperator(services);
  const { keys } = teamActs(services);
  const made: string[] = [];
  const makeSome = async () => {
    while (made.length < count) {
      const { id } = await users.add({ name: 'Bench', email: null, plan: 'business' });
      const draft = { name: 'bench', scopes: personalScopes };
      made.push((await keys.issue(operator, personalKeysOf(id), draft)).key);
    }
  };
  await Promise.all(Array.from({ length: 4 }, makeSome));
  await close();
  return made;
}
