import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { composeServices } from '../../src/services.ts';
import { runCommand } from '../support/commands.ts';
import { asOperator } from '../support/identity.ts';
import { makeDatabase, newFolder, type ServerProcess, startServer } from '../support/process.ts';
import { teamActs } from '../support/teams.ts';

let folder: string;
let dataDir: string;
let file: string;
beforeEach(() => {
  folder = newFolder();
  dataDir = join(folder, 'data');
  file = join(folder, 'backups');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const steno = (dir: string, ...args: string[]) =>
  runCommand(args, { STENO_DATA_DIR: dir, STENO_ENGINE: 'fake' });

/**
 * Every table with every row, the search index's own tables among them. A restored database begins a new timeline, which
 * has no marks yet.
 */
function contentOf(database: string): Record<string, unknown[]> {
  const connection = new DatabaseSync(database, { readOnly: true });
  try {
    const tables = connection
      .prepare(
        "select name from sqlite_schema where type = 'table' and name <> 'change_marks' and sql not like 'create virtual%' order by name",
      )
      .all();
    const rowsOf = (name: string) => {
      const columns = connection.prepare(`select * from "${name}"`).columns().length;
      const rows = connection.prepare(`select * from "${name}" order by ${columns > 1 ? '1, 2' : '1'}`).all();
      return rows.filter((row) => row.name !== 'changes_timeline' && row.name !== 'last_backup');
    };
    return Object.fromEntries(tables.map(({ name }) => [name, rowsOf(String(name))]));
  } finally {
    connection.close();
  }
}

const notesOf = (database: string) => contentOf(database).notes as { seq: number; id: string }[];

/** Enough keys for a writer that is never stopped by a rate limit. */
async function manyKeys(): Promise<string[]> {
  const services = await composeServices(readConfig({ STENO_DATA_DIR: dataDir }));
  const { close } = services;
  const { users } = asOperator(services);
  const { keys } = teamActs(services);
  const made: string[] = [];
  for (let person = 0; person < 20; person += 1) {
    const { id } = await users.add({
      name: `Writer ${person}`,
      email: null,
      plan: 'business',
    });
    for (let number = 0; number < 5; number += 1) {
      const draft = { name: 'k', scopes: personalScopes };
      made.push((await keys.issue(operator, personalKeysOf(id), draft)).key);
    }
  }
  await close();
  return made;
}

/** Clients that create notes without a pause; `stop` answers the ids that were acknowledged. */
function writeWithoutPause({ address }: ServerProcess, keys: string[]) {
  const acknowledged: string[] = [];
  let stopping = false;
  const clients = Array.from({ length: 4 }, async (_, client) => {
    for (let count = client; !stopping; count += 4) {
      const response = await fetch(`${address}/api/v1/notes/create`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keys[count % keys.length]}`, 'content-type': 'application/json' },
        body: JSON.stringify({ title: `Lap ${count}`, content: 'a runner writes while the copy is made' }),
      });
      expect(response.status).toBe(201);
      const { data } = JSON.parse(await response.text());
      acknowledged.push(data.id);
    }
  });
  return {
    acknowledged,
    async stop() {
      stopping = true;
      await Promise.all(clients);
    },
  };
}

async function search({ address }: ServerProcess, key: string | undefined, query: string): Promise<unknown> {
  const response = await fetch(`${address}/api/v1/notes/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, limit: 50 }),
  });
  expect(response.status).toBe(200);
  return JSON.parse(await response.text());
}

describe('a backup of the embedded database', () => {
  test('made under write load holds every note acknowledged before it, and none in part', {
    tags: 'slow',
  }, async () => {
    const server = await startServer({ dataDir });
    const writer = writeWithoutPause(server, await manyKeys());
    await expect.poll(() => writer.acknowledged.length).toBeGreaterThan(50);
    const before = [...writer.acknowledged];
    expect(await steno(dataDir, 'backup', file)).toMatchObject({ code: 0, stderr: '' });
    const during = writer.acknowledged.length - before.length;
    await writer.stop();
    await server.stop();
    expect(during).toBeGreaterThan(0);

    const restored = join(folder, 'restored');
    expect(await steno(restored, 'restore', file)).toMatchObject({ code: 0, stderr: '' });
    const kept = notesOf(join(restored, 'steno.db'));
    const all = notesOf(join(dataDir, 'steno.db'));
    expect(kept).toEqual(all.slice(0, kept.length));
    const ids = new Set(kept.map(({ id }) => id));
    expect(before.filter((id) => !ids.has(id))).toEqual([]);
    expect(await steno(restored, 'doctor')).toMatchObject({ code: 0, stderr: '' });
  });

  test('restored into a new folder is the same in every table and finds the same', async () => {
    const first = await startServer({ dataDir });
    const { key } = first;
    const writer = writeWithoutPause(first, [...(await manyKeys()), String(key)]);
    await expect.poll(() => writer.acknowledged.length).toBeGreaterThan(210);
    await writer.stop();
    await first.stop();

    const server = await startServer({ dataDir });
    expect(await steno(dataDir, 'backup', file)).toMatchObject({ code: 0, stderr: '' });
    const restored = join(folder, 'restored');
    const answer = await steno(restored, 'restore', file, '--json');
    expect(JSON.parse(answer.stdout)).toMatchObject({ kept_aside: null, recordings_left_out: 0 });
    expect(contentOf(join(restored, 'steno.db'))).toEqual(contentOf(join(dataDir, 'steno.db')));

    const twin = await startServer({ dataDir: restored });
    expect(twin.key).toBeUndefined();
    for (const query of ['lap', 'runners', '"while the copy"', 'copy writ'])
      expect(await search(twin, key, query)).toEqual(await search(server, key, query));
    expect(await search(twin, key, 'lap')).toMatchObject({ data: [{ score: 1 }, {}] });
    await Promise.all([server.stop(), twin.stop()]);
  });

  test('is for its owner alone, one of several, and the oldest go when they are too many', async () => {
    await makeDatabase(dataDir);
    const made = async (...args: string[]) =>
      JSON.parse((await steno(dataDir, 'backup', file, '--json', ...args)).stdout);
    const { backup: first } = await made();
    expect(statSync(file).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(file)) expect(statSync(join(file, name)).mode & 0o777).toBe(0o600);
    await steno(dataDir, 'users', 'add', '--name', 'Ada');
    const { backup: second } = await made();
    expect((await made('--keep', '2')).deleted).toEqual([first]);
    const listed = JSON.parse((await steno(dataDir, 'restore', file, '--list', '--json')).stdout);
    expect(listed).toMatchObject([{ database: 'sqlite' }, { backup: second }]);
    expect(readdirSync(file)).toHaveLength(4);
    expect(readdirSync(dataDir).filter((name) => name.includes('part'))).toEqual([]);
    expect(await steno(dataDir, 'backup', file, '--keep', '0')).toMatchObject({ code: 2 });
  });

  test('of a damaged database is not made', async () => {
    await makeDatabase(dataDir);
    await steno(dataDir, 'users', 'add', '--name', 'Ada');
    const database = join(dataDir, 'steno.db');
    const content = readFileSync(database);
    content.fill(0xff, 4096 * 3, 4096 * 12);
    writeFileSync(database, content);
    const ended = await steno(dataDir, 'backup', file);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^The database \S+ is damaged[^\n]+\.\n$/);
    expect(existsSync(file) ? readdirSync(file) : []).toEqual([]);
    expect(readdirSync(dataDir).filter((name) => name.includes('part'))).toEqual([]);
  });

  test('needs a database and a folder to write to', async () => {
    expect(await steno(dataDir, 'backup', file)).toMatchObject({ code: 3, stdout: '' });
    expect(existsSync(file)).toBe(false);
    await makeDatabase(dataDir);
    expect(await steno(dataDir, 'backup', join(folder, 'missing/notes.backup'))).toMatchObject({ code: 3 });
    expect(await steno(dataDir, 'backup', join(dataDir, 'steno.db'))).toMatchObject({ code: 2 });
    expect(await steno(dataDir, 'backup')).toMatchObject({
      code: 2,
      stderr: 'Name a folder or an S3 store for backups, or set STENO_BACKUP_URL.\n',
    });
  });
});

describe('restoring', () => {
  beforeEach(async () => {
    await makeDatabase(dataDir);
    await steno(dataDir, 'users', 'add', '--name', 'Ada');
    await steno(dataDir, 'backup', file);
    await steno(dataDir, 'users', 'add', '--name', 'Grace');
  });
  const names = () =>
    (contentOf(join(dataDir, 'steno.db')).users as { name: string }[]).map(({ name }) => name);

  test('over existing data needs --yes, keeps the old database aside and says where', async () => {
    const unsure = await steno(dataDir, 'restore', file);
    expect(unsure).toMatchObject({ code: 3, stdout: '' });
    expect(unsure.stderr).toContain('--yes');
    expect(names()).toEqual(['Ada', 'Grace']);
    const done = await steno(dataDir, 'restore', file, '--yes', '--json');
    const { kept_aside } = JSON.parse(done.stdout);
    expect(names()).toEqual(['Ada']);
    expect(contentOf(kept_aside).users).toHaveLength(2);
    expect(await steno(dataDir, 'restore', kept_aside, '--yes')).toMatchObject({ code: 0 });
    expect(names()).toEqual(['Ada', 'Grace']);
  });

  test('takes in the log that a killed server left, so that what is kept aside is whole', {
    tags: 'slow',
  }, async () => {
    const server = await startServer({ dataDir });
    await steno(dataDir, 'users', 'add', '--name', 'Lin');
    await server.kill();
    const { kept_aside } = JSON.parse((await steno(dataDir, 'restore', file, '--yes', '--json')).stdout);
    expect(names()).toEqual(['Ada']);
    expect(contentOf(kept_aside).users).toHaveLength(3);
  });

  test('is refused while a server runs', async () => {
    const server = await startServer({ dataDir });
    const refused = await steno(dataDir, 'restore', file, '--yes');
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toContain('Another Steno server is using');
    await server.stop();
    expect(names()).toEqual(['Ada', 'Grace']);
  });

  test('refuses what is no backup, one of newer code, a damaged one, and the database itself', async () => {
    const other = join(folder, 'other');
    const refuse = async (code: number, message: string, name = other) => {
      const ended = await steno(dataDir, 'restore', name, '--yes');
      expect(ended).toMatchObject({ code, stdout: '' });
      expect(ended.stderr).toMatch(/^[^\n]+\.\n$/);
      expect(ended.stderr).toContain(message);
      expect(names()).toEqual(['Ada', 'Grace']);
    };
    await refuse(3, 'There is no');
    await refuse(2, 'is not a place of backups', folder);
    writeFileSync(other, 'some text '.repeat(1000));
    await refuse(2, 'is not a backup of Steno');
    rmSync(other);
    new DatabaseSync(other).exec('create table cats (name text)');
    await refuse(2, 'is not a backup of Steno');

    const name = readdirSync(file).find((entry) => entry.endsWith('.database')) ?? '';
    const database = readFileSync(join(file, name));
    writeFileSync(other, database);
    const newer = new DatabaseSync(other);
    newer.exec("insert into schema_migrations values ('9999_future', 'x', '2030-01-01T00:00:00.000Z')");
    newer.close();
    await refuse(3, 'newer than this Steno');

    database.fill(0xff, 4096 * 3, 4096 * 12);
    writeFileSync(other, database);
    await refuse(2, 'is damaged');
    writeFileSync(join(file, name), database);
    await refuse(2, 'is damaged: 1 of 1 files', file);
    await refuse(2, 'is the database itself', join(dataDir, 'steno.db'));
    expect(readdirSync(dataDir).filter((name) => name.includes('incoming'))).toEqual([]);
  });
});
