import { globSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Db } from '../../src/platform/database/database.ts';
import { at, insertNote, keyRow, userRow, workspaceRow } from '../support/rows.ts';
import { databaseKinds } from '../support/steno.ts';
import { openStore, type TestStore } from '../support/store.ts';

describe.each(databaseKinds)('what has been cached of callers, on %s', (databaseKind) => {
  let steno: TestStore;
  const user = userRow();
  const newcomer = userRow();
  const workspace = workspaceRow();
  const key = keyRow(user.id);
  const membershipOf = (user_id: string) => ({
    workspace_id: workspace.id,
    user_id,
    role: 'admin' as const,
    created_at: at(1),
  });
  beforeAll(async () => {
    steno = await openStore(databaseKind);
    await steno.store.users.insert(user);
    await steno.store.users.insert(newcomer);
    await steno.store.workspaces.insert(workspace, user.id);
  });
  // Each test finds one member and one key, whatever those before it removed.
  beforeEach(async () => {
    await steno.database.write(async (db) => {
      await db.deleteFrom('workspace_members').execute();
      await db.insertInto('workspace_members').values(membershipOf(user.id)).execute();
      await db.deleteFrom('api_keys').execute();
    });
    await steno.store.keys.insert(key, 5, at(0));
  });
  afterAll(() => steno.close());

  async function epochMovesBy(work: () => Promise<unknown>): Promise<boolean> {
    // A notification of an earlier write may still be on its way.
    await expect
      .poll(async () => {
        const before = steno.database.principalsEpoch();
        await new Promise((resolve) => setTimeout(resolve, 50));
        return steno.database.principalsEpoch() === before;
      })
      .toBe(true);
    const before = steno.database.principalsEpoch();
    await work();
    return steno.database.principalsEpoch() !== before;
  }
  const write = (work: (db: Db) => Promise<unknown>) => () => steno.database.write(work);

  test.each<[string, () => Promise<unknown>]>([
    ["a user's plan", write((db) => db.updateTable('users').set({ plan: 'free' }).execute())],
    [
      "a workspace's policy",
      write((db) => db.updateTable('workspaces').set({ blocks_cloud_backup: 1 }).execute()),
    ],
    ['a member', write((db) => db.updateTable('workspace_members').set({ managed: 1 }).execute())],
    ['a member who leaves', write((db) => db.deleteFrom('workspace_members').execute())],
    [
      'a member who joins',
      write((db) => db.insertInto('workspace_members').values(membershipOf(newcomer.id)).execute()),
    ],
    [
      'a key, beside its last use',
      write((db) =>
        db
          .updateTable('api_keys')
          .set({ last_used_at: at(1), revoked_at: at(1) })
          .execute(),
      ),
    ],
    ['a plan, with raw SQL', write((db) => sql`update ${sql.table('users')} set plan = 'free'`.execute(db))],
    ['a key that is gone', write((db) => db.deleteFrom('api_keys').execute())],
  ])('is forgotten when a write changes %s, without the write saying so', async (_what, work) => {
    expect(await epochMovesBy(work)).toBe(true);
  });

  test.each<[string, () => Promise<unknown>]>([
    ["a key's last use", () => steno.store.keys.touch(new Map([[key.id, { at: at(2), route: null }]]))],
    ['a new note', () => insertNote(steno.store, user.id)],
    ['a new key', () => steno.store.keys.insert(keyRow(user.id), 5, at(0))],
  ])('is kept when a write stores %s', async (_what, work) => {
    expect(await epochMovesBy(work)).toBe(false);
  });
});

test('no statement that is compiled elsewhere writes what callers are made from', () => {
  const files = globSync('src/**/*.ts');
  expect(files.length).toBeGreaterThan(100);
  const writes = /(insert into|update|delete from)\s+"?(users|workspaces|workspace_members|api_keys)\b/i;
  expect(files.filter((file) => writes.test(readFileSync(file, 'utf8')))).toEqual([]);
});
