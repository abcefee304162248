import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSteno, type TestSteno } from '../support/steno.ts';

// PostgreSQL alone: SQLite has one writer, so nothing can come between a look and a write.
let steno: TestSteno;
beforeAll(async () => {
  steno = await startSteno({ databaseKind: 'postgres' });
});
afterAll(() => steno.close());

interface Race {
  key: string;
  folderId: string;
  noteId: string;
}

const create = ({ key, folderId: folder_id }: Race, headers = {}) =>
  steno.call('POST', '/notes/create', { key, body: { content: 'raced', folder_id }, headers });

/** Sends a request that uses a folder, and deletes the folder after the request has looked for it. */
async function whileFolderGoes<Answer>(
  write: (race: Race) => Promise<Answer>,
  meanwhile = async () => {},
): Promise<Answer> {
  const { key } = await steno.person();
  const made = async (path: string, body: object) =>
    (await steno.call('POST', path, { key, body })).body.data.id;
  const folderId = await made('/folders/create', { name: 'Raced' });
  const noteId = await made('/notes/create', { content: 'before' });
  const { promise: waited, resolve: goOn } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const deletion = steno.database.db.transaction().execute(async (trx) => {
    await trx.deleteFrom('folders').where('id', '=', folderId).execute();
    begin();
    await waited;
  });
  await begun;
  const answer = write({ key, folderId, noteId });
  await expect.poll(waitingForLock).toBeGreaterThan(0);
  await meanwhile().finally(goOn);
  await deletion;
  return answer;
}

test.each<[string, (race: Race) => ReturnType<typeof create>]>([
  ['made in', create],
  ['made with an Idempotency-Key in', (race) => create(race, { 'idempotency-key': 'raced' })],
  [
    'moved to',
    ({ key, folderId: folder_id, noteId }) =>
      steno.call('PATCH', `/notes/${noteId}`, { key, body: { folder_id } }),
  ],
])('a note %s a folder that is deleted at that moment is 400', async (_, write) => {
  const { status, body } = await whileFolderGoes(write);
  expect([status, body.error?.code]).toEqual([400, 'validation_error']);
});

test('rows of one request whose folder is deleted at that moment are refused one by one', async () => {
  const { body } = await whileFolderGoes(({ key, folderId: folder_id }) =>
    steno.call('POST', '/notes/create-many', {
      key,
      body: { notes: [{ content: 'in it', folder_id }, { content: 'elsewhere' }] },
    }),
  );
  expect(body.data.map(({ status }: { status: number }) => status)).toEqual([400, 201]);
});

test('many rows of one person that wait for a lock do not hold up many rows of another person', async () => {
  const other = await steno.person();
  const createMany = (key: string, notes: object[]) =>
    steno.call('POST', '/notes/create-many', { key, body: { notes } });
  await whileFolderGoes(
    ({ key, folderId: folder_id }) => createMany(key, [{ content: 'waits', folder_id }]),
    async () => {
      let answered: number | undefined;
      void createMany(other.key, [{ content: 'goes ahead' }]).then(({ status }) => {
        answered = status;
      });
      await expect.poll(() => answered, { timeout: 10_000 }).toBe(200);
    },
  );
});

test('a write that other writes overtake each time is 503 with Retry-After', async () => {
  const { key } = await steno.person();
  const { db } = steno.database;
  await sql`create function always_overtaken() returns trigger language plpgsql as
    $$ begin raise exception 'overtaken' using errcode = '40001'; end $$`.execute(db);
  await sql`create trigger always_overtaken before insert on folders
    for each row execute function always_overtaken()`.execute(db);
  try {
    const answer = await steno.call('POST', '/folders/create', { key, body: { name: 'Overtaken' } });
    expect([answer.status, answer.body.error.code]).toEqual([503, 'service_unavailable']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  } finally {
    await sql`drop trigger always_overtaken on folders`.execute(db);
  }
});

async function waitingForLock(): Promise<number> {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(steno.database.db);
  return rows.length;
}
