import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { createDatabase } from '../../test/support/postgres.ts';
import { createCorpus } from '../lib/corpus.ts';
import { fetchOk } from '../lib/load.ts';
import type { Call } from '../lib/repeat.ts';
import { seedNotes } from '../lib/seed.ts';
import { createDataDir, startScript, startServer } from '../lib/server.ts';

/** A server that holds the same notes, and how to ask it for the same things. */
export interface Contender {
  name: string;
  get: Call;
  list: Call;
  create: Call;
  search?: Call;
  stop(): Promise<void>;
}

const corpus = createCorpus(7);
const content = corpus.sentence(60);
const wanted = corpus.query().split(' ')[0] ?? '';

export async function steno(notes: number, postgresUrl?: string): Promise<Contender> {
  const database = postgresUrl === undefined ? undefined : await createDatabase(postgresUrl);
  const data = await createDataDir(database?.url);
  await seedNotes(data, notes);
  const server = await startServer(data);
  const { headers } = server;
  const at = (path: string) => `${server.url}/api/v1/notes/${path}`;
  const list: Call = { method: 'GET', url: at('list?limit=50'), headers };
  const { data: listed } = JSON.parse(await fetchOk(list.url, list));
  return {
    name: `Steno on ${database ? 'PostgreSQL' : 'SQLite'}`,
    get: { method: 'GET', url: at(listed[25].id), headers },
    list,
    create: {
      method: 'POST',
      url: at('create'),
      headers,
      body: JSON.stringify({ title: 'A note', content }),
    },
    search: { method: 'POST', url: at('search'), headers, body: JSON.stringify({ query: wanted }) },
    async stop() {
      await server.stop();
      await database?.drop();
      data.remove();
    },
  };
}

/** A person with a session, whose notes nobody else may read: as near as Parse comes to what Steno does. */
export async function parseServer(notes: number, postgresUrl: string): Promise<Contender> {
  const database = await createDatabase(postgresUrl);
  const masterKey = randomUUID();
  const server = await startScript(join('peers', 'parse-server.js'), [database.url, masterKey]);
  const anybody = { 'x-parse-application-id': 'bench', 'content-type': 'application/json' };
  const post = (path: string, headers: Record<string, string>, body: unknown) =>
    fetchOk(`${server.url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const account = { username: 'bench', password: randomUUID() };
  const { objectId: userId, sessionToken } = JSON.parse(await post('users', anybody, account));
  const headers = { ...anybody, 'x-parse-session-token': String(sessionToken) };
  const note = (text: string) => ({
    title: 'A note',
    content: text,
    noteType: 'personal',
    pinned: false,
    ACL: { [userId]: { read: true, write: true } },
  });
  for (let made = 0; made < notes; made += 50) {
    const requests = Array.from({ length: 50 }, () => ({
      method: 'POST',
      path: '/parse/classes/Note',
      body: note(corpus.sentence(60)),
    }));
    await post('batch', headers, { requests });
  }
  await runSql(database.url, 'create index on "Note" ("createdAt")');
  const list: Call = {
    method: 'GET',
    url: `${server.url}/classes/Note?order=-createdAt&limit=50`,
    headers,
  };
  const { results } = JSON.parse(await fetchOk(list.url, list));
  return {
    name: 'Parse Server on PostgreSQL',
    get: { method: 'GET', url: `${server.url}/classes/Note/${results[25].objectId}`, headers },
    list,
    create: {
      method: 'POST',
      url: `${server.url}/classes/Note`,
      headers,
      body: JSON.stringify(note(content)),
    },
    async stop() {
      await server.stop();
      await database.drop();
    },
  };
}

async function runSql(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}
