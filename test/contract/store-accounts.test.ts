import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxActiveKeysPerUser, personalKeysOf, workspaceKeysOf } from '../../src/domain/api-key.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { at, folderRow, insertNote, keyRow, spaceRow, userRow, workspaceRow } from '../support/rows.ts';
import { databaseKinds } from '../support/steno.ts';
import { openStore, type TestStore } from '../support/store.ts';

const byAge = (one: { created_at: string }, other: { created_at: string }) =>
  one.created_at < other.created_at ? -1 : 1;

describe.each(databaseKinds)('the store of accounts on %s', (databaseKind) => {
  let steno: TestStore;
  let store: TestStore['store'];
  beforeAll(async () => {
    steno = await openStore(databaseKind);
    ({ store } = steno);
  });
  afterAll(() => steno.close());

  async function person(fields = {}) {
    const user = userRow(fields);
    expect(await store.users.insert(user)).toBe('ok');
    return user;
  }
  async function team() {
    const admin = await person();
    const workspace = workspaceRow();
    await store.workspaces.insert(workspace, admin.id);
    const space = await store.spaces.insert(workspace.id, spaceRow());
    return { admin, workspace, space };
  }
  const insertKey = (key: ReturnType<typeof keyRow>, max = maxActiveKeysPerUser, now = at(0)) =>
    store.keys.insert(key, max, now);
  const search = async (ownerId: string, query: string) =>
    (await store.notes.search(ownerId, { query: query, limit: 9 })).data;

  describe('keys', () => {
    test('are found by their hash with the plan of the person or of the workspace', async () => {
      const user = await person({ plan: 'pro' });
      const { workspace } = await team();
      const personal = keyRow(user.id, { expires_at: at(9), scopes: ['notes:read', 'usage:read'] });
      const shared = keyRow(user.id, { kind: 'workspace', workspace_id: workspace.id });
      for (const key of [personal, shared]) expect(await insertKey(key)).toBe('ok');
      const { id, kind, name, user_id, workspace_id, scopes, expires_at, allowed_addresses } = personal;
      const live = { id, kind, name, user_id, workspace_id, scopes, expires_at, allowed_addresses };
      expect(await store.keys.findByHash(personal.key_hash)).toEqual({
        ...live,
        plan: 'pro',
        blocked_by: [],
      });
      expect(await store.keys.findByHash(shared.key_hash)).toMatchObject({ id: shared.id, plan: 'business' });
      expect(await store.keys.findByHash(keyRow(user.id).key_hash)).toBeUndefined();
    });

    test(`are at most ${maxActiveKeysPerUser} a person, however many ask at once`, async () => {
      const { id } = await person();
      const outcomes = await Promise.all(Array.from({ length: 25 }, () => insertKey(keyRow(id))));
      expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(maxActiveKeysPerUser);
      expect(await store.keys.listActive(personalKeysOf(id), at(0))).toHaveLength(maxActiveKeysPerUser);
    });

    test('that are expired or revoked, or a workspace’s, do not count', async () => {
      const { admin, workspace } = await team();
      await insertKey(keyRow(admin.id, { expires_at: at(5) }), 1);
      expect(await insertKey(keyRow(admin.id), 1, at(4))).toBe('limit_reached');
      await insertKey(keyRow(admin.id, { kind: 'workspace', workspace_id: workspace.id }), 1, at(5));
      const second = keyRow(admin.id);
      expect(await insertKey(second, 1, at(5))).toBe('ok');
      await store.keys.revoke(personalKeysOf(admin.id), second.id, at(5));
      expect(await insertKey(keyRow(admin.id), 1, at(5))).toBe('ok');
    });

    test('with a hash that exists are refused and change nothing', async () => {
      const { id } = await person();
      const key = keyRow(id);
      await insertKey(key);
      await expect(insertKey(keyRow(id, { key_hash: key.key_hash }))).rejects.toThrow();
      expect(await store.keys.listActive(personalKeysOf(id), at(0))).toEqual([key]);
    });

    test('list by owner, newest first, active ones only', async () => {
      const { admin, workspace } = await team();
      const keys = [1, 2, 3].map((second) => keyRow(admin.id, { created_at: at(second) }));
      const shared = keyRow(admin.id, { kind: 'workspace', workspace_id: workspace.id });
      const expired = keyRow(admin.id, { expires_at: at(10) });
      for (const key of [...keys, shared, expired]) await insertKey(key);
      await store.keys.revoke(personalKeysOf(admin.id), keys[1]?.id ?? '', at(4));
      expect(await store.keys.listActive(personalKeysOf(admin.id), at(10))).toEqual([keys[2], keys[0]]);
      expect(await store.keys.listActive(personalKeysOf(admin.id), at(9))).toHaveLength(3);
      expect(await store.keys.listActive(workspaceKeysOf(workspace.id), at(10))).toEqual([shared]);
      const all = (await store.keys.listActive({ kind: 'anyone' }, at(10))).map(({ id }) => id);
      expect(all).toEqual(expect.arrayContaining([shared.id, keys[0]?.id, keys[2]?.id]));
      expect(all).not.toContain(keys[1]?.id);
    });

    test('are revoked by their owner alone, and twice is as good as once', async () => {
      const [ada, eve] = [await person(), await person()];
      const key = keyRow(ada.id);
      await insertKey(key);
      for (const stranger of [personalKeysOf(eve.id), workspaceKeysOf(newUuid())])
        expect(await store.keys.revoke(stranger, key.id, at(1))).toBe(false);
      expect(await store.keys.findByHash(key.key_hash)).toBeDefined();
      const before = store.keys.epoch();
      expect(await store.keys.revoke(personalKeysOf(ada.id), key.id, at(1))).toBe(true);
      expect(store.keys.epoch()).not.toBe(before);
      expect(await store.keys.findByHash(key.key_hash)).toBeUndefined();
      expect(await store.keys.revoke({ kind: 'anyone' }, key.id, at(2))).toBe(true);
      expect(await store.keys.revoke(personalKeysOf(ada.id), newUuid(), at(2))).toBe(false);
    });

    test('keep the latest time they were used, in whatever order it arrives', async () => {
      const { id } = await person();
      const [key, other] = [keyRow(id), keyRow(id)];
      for (const each of [key, other]) await insertKey(each);
      const use = (time: string, route: string) => ({ at: time, route });
      await store.keys.touch(new Map([[key.id, use(at(20), 'GET /late')]]));
      await store.keys.touch(
        new Map([
          [key.id, use(at(10), 'GET /early')],
          [newUuid(), use(at(10), 'GET /early')],
        ]),
      );
      const listed = await store.keys.listActive(personalKeysOf(id), at(0));
      expect(new Map(listed.map((each) => [each.id, each.last_used_at]))).toEqual(
        new Map([
          [key.id, at(20)],
          [other.id, null],
        ]),
      );
    });

    test('the epoch stays while only notes change', async () => {
      const { id } = await person();
      const before = store.keys.epoch();
      await insertNote(store, id);
      expect(store.keys.epoch()).toBe(before);
    });
  });

  describe('people', () => {
    test('are found by id and by address, and listed by age', async () => {
      const email = `${newUuid()}@example.org`;
      const user = await person({ email, created_at: at(-5) });
      expect(await store.users.find(user.id)).toEqual(user);
      expect(await store.users.find(email)).toEqual(user);
      expect(await store.users.find('nobody@example.org')).toBeUndefined();
      const listed = await store.users.list();
      expect(listed).toEqual([...listed].sort(byAge));
      expect(listed[0]).toEqual(user);
    });

    test('of one address are one, however many ask at once; without address there may be many', async () => {
      const email = `${newUuid()}@example.org`;
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => store.users.insert(userRow({ email }))),
      );
      expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(1);
      expect(await store.users.insert(userRow())).toBe('ok');
    });

    test('change their plan for all their keys, and the epoch with it', async () => {
      const { id } = await person({ plan: 'free' });
      const key = keyRow(id);
      await insertKey(key);
      const before = store.keys.epoch();
      expect(await store.users.update(id, { plan: 'pro' })).toBe('ok');
      expect(store.keys.epoch()).not.toBe(before);
      expect((await store.keys.findByHash(key.key_hash))?.plan).toBe('pro');
      expect(await store.users.update(newUuid(), { plan: 'pro' })).toBe('not found');
    });

    test('are removed with keys, notes, words and folders; what is the team’s stays', async () => {
      const { admin, workspace, space } = await team();
      const bystander = await person();
      const folder = folderRow(admin.id);
      await store.folders.insert(folder, 50);
      const mine = await insertNote(store, admin.id, { content: 'mine', folder_id: folder.id });
      const shared = await insertNote(store, space.id, {
        content: 'shared',
        space_id: space.id,
        user_id: admin.id,
      });
      await insertNote(store, bystander.id, { content: 'bystander' });
      const personal = keyRow(admin.id);
      const teamKey = keyRow(admin.id, { kind: 'workspace', workspace_id: workspace.id });
      for (const key of [personal, teamKey]) await insertKey(key);
      const before = store.keys.epoch();
      expect(await store.users.remove(admin.id)).toBe(true);
      expect(store.keys.epoch()).not.toBe(before);
      expect(await store.users.find(admin.id)).toBeUndefined();
      expect(await store.keys.findByHash(personal.key_hash)).toBeUndefined();
      expect(await store.notes.get({ kind: 'owner', ownerId: admin.id }, mine.row.id)).toBeUndefined();
      expect(await search(admin.id, 'mine')).toEqual([]);
      expect(await store.folders.list(admin.id)).toEqual([]);
      expect(await store.keys.findByHash(teamKey.key_hash)).toMatchObject({ id: teamKey.id });
      expect((await search(space.id, 'shared')).map(({ id }) => id)).toEqual([shared.row.id]);
      expect(await search(bystander.id, 'bystander')).toHaveLength(1);
      expect(await store.users.remove(admin.id)).toBe(false);
    });

    test('who are removed while they write leave nothing behind', async () => {
      const { id } = await person();
      const work = Array.from({ length: 20 }, (_, index) =>
        index === 10 ? store.users.remove(id) : insertNote(store, id, { content: 'straggler' }),
      );
      const folders = Array.from({ length: 5 }, () => store.folders.insert(folderRow(id), 50));
      await Promise.allSettled([...work, ...folders]);
      expect(await store.notes.list(id, { limit: 50 })).toEqual([]);
      expect(await search(id, 'straggler')).toEqual([]);
      expect(await store.folders.list(id)).toEqual([]);
    });
  });

  describe('workspaces', () => {
    test('are stored with their first admin, or not at all', async () => {
      const { admin, workspace } = await team();
      expect(await store.workspaces.find(workspace.id)).toEqual(workspace);
      const members = await steno.database.db
        .selectFrom('workspace_members')
        .select(['user_id', 'role'])
        .where('workspace_id', '=', workspace.id)
        .execute();
      expect(members).toEqual([{ user_id: admin.id, role: 'admin' }]);
      const orphan = workspaceRow();
      await expect(store.workspaces.insert(orphan, newUuid())).rejects.toThrow();
      expect(await store.workspaces.find(orphan.id)).toBeUndefined();
      expect((await store.workspaces.list()).map(({ id }) => id)).not.toContain(orphan.id);
    });

    test('change their plan for all their keys, and the epoch with it', async () => {
      const { admin, workspace } = await team();
      const key = keyRow(admin.id, { kind: 'workspace', workspace_id: workspace.id });
      await insertKey(key);
      const before = store.keys.epoch();
      expect(await store.workspaces.setPlan(workspace.id, 'free')).toBe(true);
      expect(store.keys.epoch()).not.toBe(before);
      expect((await store.keys.findByHash(key.key_hash))?.plan).toBe('free');
      expect(await store.workspaces.setPlan(newUuid(), 'free')).toBe(false);
    });

    test('give each space a slug of its own, however many ask at once', async () => {
      const { workspace, space } = await team();
      const spaces = await Promise.all(
        Array.from({ length: 8 }, () => store.spaces.insert(workspace.id, spaceRow())),
      );
      const slugs = [space, ...spaces].map(({ slug }) => slug).sort();
      expect(slugs).toEqual(['general', ...Array.from({ length: 8 }, (_, index) => `general-${index + 2}`)]);
      const listed = await store.spaces.list(workspace.id);
      expect(listed.map(({ slug }) => slug).sort()).toEqual(slugs);
    });

    test('archive a space once; then it is neither listed nor theirs to use', async () => {
      const { workspace, space } = await team();
      const other = await team();
      expect(await store.spaces.has(workspace.id, space.id)).toBe(true);
      expect(await store.spaces.has(other.workspace.id, space.id)).toBe(false);
      expect(await store.spaces.archive({}, space.id, at(1))).toBe(true);
      expect(await store.spaces.archive({}, space.id, at(2))).toBe(false);
      expect(await store.spaces.has(workspace.id, space.id)).toBe(false);
      expect(await store.spaces.list(workspace.id)).toEqual([]);
    });

    test('change and archive their own spaces, and no others', async () => {
      const [mine, theirs] = [await team(), await team()];
      const { id } = theirs.space;
      const foreign = { workspaceId: mine.workspace.id };
      expect(await store.spaces.update(foreign, id, { name: 'Mine' }, at(1))).toBeUndefined();
      expect(await store.spaces.archive(foreign, id, at(1))).toBe(false);
      expect(await store.spaces.list(theirs.workspace.id)).toEqual([theirs.space]);
      const own = { workspaceId: theirs.workspace.id };
      const renamed = { ...theirs.space, name: 'Ours', updated_at: at(2) };
      expect(await store.spaces.update(own, id, { name: 'Ours' }, at(2))).toEqual(renamed);
      expect(await store.spaces.archive(own, id, at(3))).toBe(true);
      expect(await store.spaces.update(own, id, { name: 'Back' }, at(4))).toBeUndefined();
    });

    test('take their spaces, keys, folders and notes with them', async () => {
      const { admin, workspace, space } = await team();
      const key = keyRow(admin.id, { kind: 'workspace', workspace_id: workspace.id });
      await insertKey(key);
      await store.folders.insert(folderRow(space.id, { space_id: space.id }), 50);
      await insertNote(store, space.id, { space_id: space.id, content: 'dissolved' });
      await steno.database.write((db) =>
        db.deleteFrom('workspaces').where('id', '=', workspace.id).execute(),
      );
      expect(await store.keys.findByHash(key.key_hash)).toBeUndefined();
      expect(await store.folders.list(space.id)).toEqual([]);
      expect(await store.notes.list(space.id, { limit: 9 })).toEqual([]);
      expect(await search(space.id, 'dissolved')).toEqual([]);
    });
  });
});
