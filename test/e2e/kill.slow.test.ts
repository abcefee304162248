import { randomInt } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { maxActiveKeysPerUser, personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { databaseFile } from '../../src/platform/database/sqlite.ts';
import { composeServices } from '../../src/services.ts';
import { asOperator } from '../support/identity.ts';
import { newFolder, startServer } from '../support/process.ts';
import { seededRandom } from '../support/random.ts';
import { createRestlessClient, type KnownNote } from '../support/restless-client.ts';
import { teamActs } from '../support/teams.ts';

const rounds = 6;
const clientCount = 6;
const dataDir = newFolder();
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** A client with a person of its own and all the keys a person may have: 1,500 calls a minute. */
async function createClients(seed: number) {
  const services = await composeServices(readConfig({ STENO_DATA_DIR: dataDir }));
  const { close } = services;
  const { users } = asOperator(services);
  const { keys } = teamActs(services);
  const clients = [];
  for (let index = 0; index < clientCount; index += 1) {
    const { id: userId } = await users.add({
      name: 'Restless',
      email: null,
      plan: 'business',
    });
    const draft = { name: 'test', scopes: personalScopes };
    const made: string[] = [];
    while (made.length < maxActiveKeysPerUser)
      made.push((await keys.issue(operator, personalKeysOf(userId), draft)).key);
    clients.push(
      Object.assign(createRestlessClient(`c${index}`, seededRandom(seed + index), made), { userId }),
    );
  }
  await close();
  return clients;
}

type Client = Awaited<ReturnType<typeof createClients>>[number];

/** What a note may look like now, and whether it may be missing. */
function allowed(note: KnownNote): { contents: string[]; mayBeGone: boolean } {
  const contents = note.acknowledged === undefined ? note.sent : [note.acknowledged, ...note.sent];
  return { contents, mayBeGone: note.acknowledged === undefined || note.deletion === 'sent' };
}

interface Row {
  id: string;
  owner_id: string;
  seq: number;
  content: string;
  deleted_at: string | null;
}

/** Holds what the dead server left against what the clients know, and tells them where they were unsure. */
function examine(clients: Client[]): void {
  // A copy, because opening a database repairs it, and that is for the next server to prove.
  const copy = join(dataDir, 'copy');
  cpSync(databaseFile(dataDir), databaseFile(copy));
  cpSync(`${databaseFile(dataDir)}-wal`, `${databaseFile(copy)}-wal`);
  const database = new DatabaseSync(databaseFile(copy));
  try {
    expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(database.prepare('pragma foreign_key_check').all()).toEqual([]);
    const all = database.prepare('select id, owner_id, seq, content, deleted_at from notes').all();
    const rows = all as unknown as Row[];
    const live = rows.filter((row) => row.deleted_at === null);
    const indexed = database.prepare('select seq from search_entries order by seq').all();
    expect(indexed.map((row) => row.seq)).toEqual(live.map((row) => row.seq).sort((a, b) => a - b));
    expectOnePlaceEach(database);

    const byId = new Map(rows.map((row) => [row.id, row]));
    const byContent = new Map(rows.map((row) => [row.content, row]));
    const find = database.prepare(`select seq from search_entries where text like '% ' || ? || ' %'`);
    for (const { userId, notes } of clients)
      for (const note of notes) {
        const { contents, mayBeGone } = allowed(note);
        const row = note.id === undefined ? byContent.get(contents[0] ?? '') : byId.get(note.id);
        if (row) byId.delete(row.id);
        if (note.deletion === 'acknowledged') expect(row?.deleted_at).toEqual(expect.any(String));
        else if (!row || row.deleted_at !== null) expect(mayBeGone, `${note.id} is missing`).toBe(true);
        if (!row || row.deleted_at !== null) continue;
        expect(row.owner_id).toBe(userId);
        expect(contents).toContain(row.content);
        const found = find.all(row.content.split(' ').at(-1) ?? '');
        expect(found).toEqual([{ seq: row.seq }]);
      }
    expect([...byId.keys()], 'rows that nobody sent').toEqual([]);
    for (const { notes } of clients) settle(database, notes);
  } finally {
    database.close();
    rmSync(copy, { recursive: true });
  }
}

/** Every entry stands in one segment that is complete, or among the fresh ones; what else segments hold is dead. */
function expectOnePlaceEach(database: DatabaseSync): void {
  const numbers = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => Number(Object.values(row)[0]));
  const dead = new Set(numbers('select entry from search_dead'));
  const segments = database.prepare('select entries from search_segments where complete = 1').all();
  // Stored as bytes of 64-bit floats; the driver types every column alike.
  const stored = segments.flatMap(({ entries }) => [
    ...new Float64Array(Uint8Array.from(entries as Uint8Array).buffer),
  ]);
  const places = [
    ...stored.filter((entry) => !dead.has(entry)),
    ...numbers('select entry from search_fresh'),
  ];
  expect(places.sort((a, b) => a - b)).toEqual(numbers('select entry from search_entries order by entry'));
}

/** The clients go on from what is there. */
function settle(database: DatabaseSync, notes: KnownNote[]): void {
  const find = database.prepare('select id, content, deleted_at from notes where id = ? or content = ?');
  for (const note of notes) {
    if (note.sent.length === 0 && note.deletion !== 'sent') continue;
    const row = find.get(note.id ?? '', note.sent[0] ?? '');
    note.id = row ? String(row.id) : undefined;
    note.acknowledged = row ? String(row.content) : undefined;
    note.sent = [];
    note.deletion = row?.deleted_at === null ? 'none' : 'acknowledged';
  }
  notes.splice(0, notes.length, ...notes.filter(({ id }) => id !== undefined));
}

test(`every acknowledged write survives kill -9, ${rounds} times over`, async () => {
  const seed = Number(process.env.STENO_TEST_SEED ?? randomInt(2 ** 31));
  console.log(`kill -9 test: STENO_TEST_SEED=${seed}`);
  const random = seededRandom(seed);
  const clients = await createClients(seed);
  for (let round = 0; round < rounds; round += 1) {
    const server = await startServer({ dataDir });
    for (const client of clients) await expectFound(server.address, client);
    let left = random.between(1, 60);
    const enough = new Promise<void>((resolve) => {
      for (const client of clients)
        client.onAnswer = () => {
          left -= 1;
          if (left === 0) resolve();
        };
    });
    const working = clients.map(({ work }) => work(server.address));
    await enough;
    await sleep(random.between(0, 10));
    await server.kill();
    await Promise.all(working);
    examine(clients);
    for (const { surprises } of clients) expect(surprises).toEqual([]);
  }
});

/** Through the door of the restarted server. */
async function expectFound(address: string, { notes, nextKey }: Client): Promise<void> {
  const note = notes.find(({ deletion }) => deletion === 'none');
  if (!note) return;
  const query = note.acknowledged?.split(' ').at(-1);
  const response = await fetch(`${address}/api/v1/notes/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${nextKey()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: `"${query}"` }),
  });
  const { data } = (await response.json()) as { data: { id: string; content: string }[] };
  expect(data.map(({ id, content }) => ({ id, content }))).toEqual([
    { id: note.id, content: note.acknowledged },
  ]);
}
