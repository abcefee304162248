import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageOfAll } from '../../src/features/workspaces/queries.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import {
  at,
  folderRow,
  insertNote,
  insertPerson,
  insertTeam,
  keyRow,
  spaceRow,
  webhookRow,
} from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';
import { webhooksIn } from '../support/webhooks.ts';

let steno: TestStore;
let store: TestStore['store'];
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
});
afterAll(() => steno.close());

const person = (fields = {}) => insertPerson(store, fields);
const _ms = (second: number) => Date.parse(at(second));
const team = () => insertTeam(store);
const member = (user_id: string, fields = {}) => ({
  user_id,
  role: 'member' as const,
  managed: false,
  created_at: at(1),
  ...fields,
});
async function joined(workspaceId: string, fields = {}) {
  const user = await person();
  expect(await store.members.add(workspaceId, member(user.id, fields))).toBe('ok');
  return user;
}
const told = async (workspaceId: string) =>
  (await store.audit.list({ workspaceId }, { limit: 100 })).map(
    ({ act, subject_id, detail }) => `${act} ${subject_id} ${detail}`,
  );
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

describe('what operators see of people and workspaces', () => {
  test('counts what is theirs and works, and finds them by a part of the name', async () => {
    const ours = await team();
    const word = newUuid().slice(-8);
    const ada = await person({ name: `Ada ${word}_X`, created_at: at(1) });
    const eve = await person({ name: 'Eve', email: `${word}-x@example.org`, created_at: at(2) });
    const found = async (matching: string, page = {}) =>
      idsOf(await store.people.list({ now: at(3), limit: 9, matching, ...page }));
    expect(await found(word.toUpperCase())).toEqual([eve.id, ada.id]);
    expect(await found(word, { after: { at: at(2), id: eve.id } })).toEqual([ada.id]);
    expect(await found(`${word}_`)).toEqual([ada.id]);
    expect(await found(`${word}%`)).toEqual([]);
    const [revoked, late] = [keyRow(ada.id), keyRow(ada.id, { expires_at: at(30) })];
    for (const key of [revoked, late, keyRow(eve.id)]) await store.keys.insert(key, 50, at(0));
    await store.keys.revoke({ kind: 'anyone' }, revoked.id, at(1));
    await store.keys.touch(new Map([[late.id, { at: at(20), route: 'GET /notes' }]]));
    expect(await store.people.find(ada.id, at(29))).toMatchObject({
      keys: 1,
      sessions: 0,
      storage_bytes: 0,
      last_used_at: at(20),
      operator: false,
      suspended_at: null,
    });
    expect(await store.people.find(ada.id, at(30))).toMatchObject({ keys: 0 });
    expect(await store.people.find(eve.id, at(30))).toMatchObject({ keys: 1, last_used_at: null });
    expect(await store.people.find(newUuid(), at(3))).toBeUndefined();
    const space = await store.spaces.insert(ours.id, spaceRow());
    await store.spaces.insert(ours.id, spaceRow());
    await store.spaces.archive({}, space.id, at(1));
    const all = await pageOfAll(steno.database.db, { limit: 100 }, at(3));
    expect(all.find(({ id }) => id === ours.id)).toMatchObject({ members: 1, spaces: 1, keys: 0 });
  });

  test('the last operator stays; who leaves hands a shared workspace on, and takes an empty one along', async () => {
    const [ours, own] = [await team(), await team()];
    const { admin } = ours;
    await store.members.add(own.id, member(admin.id));
    await store.members.remove(own.id, own.admin.id, null);
    await store.members.change(own.id, admin.id, { role: 'admin' }, false);
    await store.members.remove(own.id, own.admin.id, null);
    const space = await store.spaces.insert(own.id, spaceRow());
    await insertNote(store, space.id, { space_id: space.id, user_id: admin.id });
    const { row } = await insertNote(store, own.admin.id);
    const ada = await joined(ours.id);
    // Somebody who is alone in a workspace too.
    const bystander = await team();
    const theirs = await store.spaces.insert(bystander.id, spaceRow());
    await insertNote(store, theirs.id, { space_id: theirs.id, user_id: bystander.admin.id });
    await insertNote(store, admin.id);
    for (const { id } of [admin, ada]) {
      await store.folders.insert(folderRow(id), 9);
      await webhooksIn(steno).insert(webhookRow(id), 9);
    }
    expect(await store.users.removeOwn(admin.id)).toEqual({ lastAdminOf: ['Team'] });
    await store.users.setOperator(admin.id, true);
    expect(await store.users.removeOwn(admin.id)).toBe('last operator');
    // One who is suspended cannot run the server.
    await store.users.setOperator(ada.id, true);
    await store.people.setSuspended(ada.id, at(1));
    expect(await store.users.removeOwn(admin.id)).toBe('last operator');
    await store.people.setSuspended(ada.id, null);
    await store.members.change(ours.id, ada.id, { role: 'admin' }, false);
    expect(await store.users.removeOwn(admin.id)).toBe('ok');
    expect(await store.users.removeOwn(admin.id)).toBe('not found');
    expect(await store.workspaces.find(own.id)).toBeUndefined();
    // Entries go with their note; what refers to them must be deleted.
    const entries = (ownerId: string) =>
      steno.database.db.selectFrom('search_fresh').select('entry').where('owner_id', '=', ownerId).execute();
    const found = async (ownerId: string) => [
      (await store.notes.list(ownerId, { limit: 9 })).length,
      (await entries(ownerId)).length,
    ];
    expect([await found(admin.id), await found(space.id), await found(theirs.id)]).toEqual([
      [0, 0],
      [0, 0],
      [1, 1],
    ]);
    expect(await store.workspaces.find(bystander.id)).toBeDefined();
    expect((await told(bystander.id)).filter((act) => act.includes('removed'))).toEqual([]);
    const left = async (ownerId: string) => [
      (await store.folders.list(ownerId)).length,
      (await webhooksIn(steno).list(ownerId)).length,
    ];
    expect([await left(admin.id), await left(ada.id)]).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(await store.notes.list(space.id, { limit: 9 })).toEqual([]);
    expect(await store.changes.read(space.id, { tx: 0, seq: 0 }, 9)).toEqual([]);
    expect(await store.changes.read(admin.id, { tx: 0, seq: 0 }, 9)).toEqual([]);
    expect(idsOf(await store.notes.list(own.admin.id, { limit: 9 }))).toEqual([row.id]);
    expect(await store.changes.read(own.admin.id, { tx: 0, seq: 0 }, 9)).toHaveLength(1);
    expect((await store.members.list(ours.id, at(0))).map(({ user_id }) => user_id)).toEqual([ada.id]);
    expect(await told(ours.id)).toContain(`member.removed ${admin.id} deleted their account`);
    expect(await told(own.id)).toContain(`workspace.removed ${own.id} null`);
    await store.users.setOperator(ada.id, false);
  });
});
