import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workspaceKeysOf } from '../../src/domain/api-key.ts';
import type { Principal } from '../../src/domain/principal.ts';
import { createAction, deleteAction, updateAction } from '../../src/features/language/operations.ts';
import { actions, askerOf, insertAction, personOf } from '../../src/features/language/queries.ts';
import type { Operation } from '../../src/kernel/operation.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { act } from '../support/act.ts';
import { principalOf } from '../support/principal.ts';
import { at, insertPerson, insertTeam, invitationRow, keyRow } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
let store: TestStore['store'];
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
});
afterAll(() => steno.close());

const person = (fields = {}) => insertPerson(store, fields);
const ms = (second: number) => Date.parse(at(second));
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

describe('members', () => {
  test('are those of the workspace, with the keys that they made there and that work', async () => {
    const [ours, theirs] = [await team(), await team()];
    const ada = await joined(ours.id);
    await store.members.add(theirs.id, member(ada.id, { role: 'admin' }));
    const key = (fields = {}) => keyRow(ada.id, { kind: 'workspace', workspace_id: ours.id, ...fields });
    const revoked = key();
    for (const made of [
      key(),
      key({ expires_at: at(50) }),
      revoked,
      key({ user_id: ours.admin.id }),
      key({ workspace_id: theirs.id }),
    ])
      await store.keys.insert(made, 50, at(0));
    await store.keys.revoke(workspaceKeysOf(ours.id), revoked.id, at(1));
    const seen = async (now: string) =>
      (await store.members.list(ours.id, now)).map(({ user_id, role, workspace_keys }) => [
        user_id,
        role,
        workspace_keys,
      ]);
    expect(await seen(at(49))).toEqual([
      [ours.admin.id, 'admin', 1],
      [ada.id, 'member', 2],
    ]);
    expect(await seen(at(50))).toContainEqual([ada.id, 'member', 1]);
    expect(await store.members.roleOf(theirs.id, ada.id)).toBe('admin');
    expect(await store.members.roleOf(ours.id, theirs.admin.id)).toBeUndefined();
    expect(await store.members.add(ours.id, member(ada.id))).toBe('conflict');
    expect((await told(ours.id)).filter((act) => act.startsWith('member.added'))).toHaveLength(1);
  });

  test('who have been admins for longest speak for the workspace', async () => {
    const [ours, theirs] = [await team(), await team()];
    const early = await joined(ours.id, { created_at: at(-5) });
    expect(await store.members.firstAdmin(ours.id)).toBe(ours.admin.id);
    await store.members.change(ours.id, early.id, { role: 'admin' }, false);
    expect(await store.members.firstAdmin(ours.id)).toBe(early.id);
    expect(await store.members.firstAdmin(theirs.id)).toBe(theirs.admin.id);
    expect(await store.members.firstAdmin(newUuid())).toBeUndefined();
  });

  test('change one at a time; the last admin stays one, and nobody is managed unasked', async () => {
    const [ours, theirs] = [await team(), await team()];
    const [ada, eve] = [await joined(ours.id), await joined(ours.id)];
    await store.members.add(theirs.id, member(ada.id));
    const change = (userId: string, changes: object, mayManage = false) =>
      store.members.change(ours.id, userId, changes, mayManage);
    const seen = async ({ id }: { id: string }) =>
      new Map((await store.members.list(id, at(0))).map((each) => [each.user_id, [each.role, each.managed]]));
    expect(await change(theirs.admin.id, { role: 'member' })).toBe('not_found');
    expect(await change(ours.admin.id, { role: 'member' })).toBe('conflict');
    expect(await change(ada.id, { managed: true })).toBe('forbidden');
    expect(await change(ada.id, { managed: true }, true)).toBe('ok');
    // Who is managed already is not asked again.
    expect(await change(ada.id, { managed: true, role: 'admin' })).toBe('ok');
    expect(await seen(ours)).toEqual(
      new Map([
        [ours.admin.id, ['admin', false]],
        [ada.id, ['admin', true]],
        [eve.id, ['member', false]],
      ]),
    );
    expect((await seen(theirs)).get(ada.id)).toEqual(['member', false]);
    expect(await change(ours.admin.id, { role: 'member' })).toBe('ok');
    expect(await told(ours.id)).toEqual(
      expect.arrayContaining([
        `member.changed ${ada.id} managed: true`,
        `member.changed ${ours.admin.id} role: member`,
      ]),
    );
  });

  test('who leave take their invitations along, and their keys if asked', async () => {
    const [ours, theirs] = [await team(), await team()];
    const [ada, eve] = [await joined(ours.id, { role: 'admin' }), await joined(ours.id, { role: 'admin' })];
    await store.members.add(theirs.id, member(ada.id, { role: 'admin' }));
    const key = (user_id: string, workspace_id: string) =>
      keyRow(user_id, { kind: 'workspace', workspace_id });
    const [hers, elsewhere, his] = [key(ada.id, ours.id), key(ada.id, theirs.id), key(eve.id, ours.id)];
    const old = key(ada.id, ours.id);
    for (const made of [hers, elsewhere, his, old]) await store.keys.insert(made, 50, at(0));
    await store.keys.revoke({ kind: 'anyone' }, old.id, at(1));
    const sent = [
      invitationRow(ours.id, ada.id),
      invitationRow(ours.id, eve.id),
      invitationRow(theirs.id, ada.id),
    ];
    for (const one of sent) await store.invitations.put(one, ms(0));
    expect(await store.members.remove(ours.id, theirs.admin.id, null)).toBe('not_found');
    expect(await store.members.remove(ours.id, ada.id, at(5))).toBe('ok');
    const works = async (made: typeof hers) => (await store.keys.findByHash(made.key_hash)) !== undefined;
    expect([await works(hers), await works(elsewhere), await works(his)]).toEqual([false, true, true]);
    const revoked = steno.database.db.selectFrom('api_keys').select('revoked_at').where('id', '=', old.id);
    expect(await revoked.executeTakeFirst()).toEqual({ revoked_at: at(1) });
    expect(await store.members.roleOf(theirs.id, ada.id)).toBe('admin');
    expect(idsOf(await store.invitations.list(ours.id, ms(0)))).toEqual([sent[1]?.id]);
    expect(idsOf(await store.invitations.list(theirs.id, ms(0)))).toEqual([sent[2]?.id]);
    // Whoever steps down may no longer invite either.
    await store.members.change(ours.id, eve.id, { managed: false }, false);
    expect(await store.invitations.list(ours.id, ms(0))).toHaveLength(1);
    await store.members.change(ours.id, eve.id, { role: 'member' }, false);
    expect(await store.invitations.list(ours.id, ms(0))).toEqual([]);
    expect(await store.members.remove(ours.id, eve.id, null)).toBe('ok');
    expect(await works(his)).toBe(true);
    expect(await store.members.remove(ours.id, ours.admin.id, null)).toBe('conflict');
    expect(await told(ours.id)).toEqual(
      expect.arrayContaining([
        `member.removed ${ada.id} with the keys that they made`,
        `member.removed ${eve.id} null`,
      ]),
    );
  });
});

describe('policies', () => {
  test('are those of one workspace, and hold for whom it manages', async () => {
    const [ours, theirs] = [await team(), await team()];
    const ada = await joined(ours.id, { managed: true });
    const eve = await joined(ours.id);
    await store.members.add(theirs.id, member(ada.id));
    const keys = [
      keyRow(ada.id),
      keyRow(eve.id),
      keyRow(ada.id, { kind: 'workspace', workspace_id: ours.id }),
    ];
    for (const key of keys) await store.keys.insert(key, 50, at(0));
    const off = { block_cloud_transcription: false, block_cloud_backup: false, block_language_models: false };
    const changed = { ...off, block_cloud_backup: true };
    expect(await store.policies.update(newUuid(), { block_cloud_backup: true })).toBeUndefined();
    expect(await store.policies.update(ours.id, { block_cloud_backup: true })).toEqual(changed);
    await store.policies.update(theirs.id, { block_language_models: true });
    expect(await store.policies.get(ours.id)).toEqual(changed);
    expect(await store.policies.get(theirs.id)).toEqual({ ...off, block_language_models: true });
    expect(await store.policies.get(newUuid())).toBeUndefined();
    const blocked = await Promise.all(
      keys.map(async ({ key_hash }) => (await store.keys.findByHash(key_hash))?.blocked_by),
    );
    expect(blocked).toEqual([['cloud backup'], [], []]);
    expect(await told(ours.id)).toContain(`policy.changed ${ours.id} block_cloud_backup: true`);
    expect((await personOf(steno.database.db, ada.id))?.isBlocked).toBe(false);
    await store.policies.update(ours.id, { block_language_models: true });
    expect((await personOf(steno.database.db, ada.id))?.isBlocked).toBe(true);
    expect((await personOf(steno.database.db, eve.id))?.isBlocked).toBe(false);
  });
});

describe('actions', () => {
  const action = (userId: string, workspaceId: string | null = null, fields = {}) => ({
    id: newUuid(),
    user_id: userId,
    workspace_id: workspaceId,
    name: 'Minutes',
    description: null,
    prompt: 'Write minutes.',
    sections: null,
    output: 'replace' as const,
    language: null,
    created_at: at(0),
    updated_at: at(0),
    ...fields,
  });
  const by = (userId: string, workspaceId: string | null = null): Principal =>
    workspaceId === null
      ? { ...principalOf(userId), kind: 'session', sessionId: '', isOperator: false, key: null }
      : { ...principalOf(userId), kind: 'workspace', key: { id: userId, name: 'test' }, workspaceId };
  const called = (operation: Operation, who: Principal, input: object) =>
    act(steno.database, operation, { userId: who.userId, who, now: at(5) }, input);
  const insert = (made: ReturnType<typeof action>) => steno.database.write((tx) => insertAction(tx, made));

  test('are reached by who made them and shared by a workspace, whose admins change them', async () => {
    const [ours, theirs] = [await team(), await team()];
    const [ada, eve, full] = [await joined(ours.id), await joined(ours.id), await person()];
    await store.members.add(theirs.id, member(ada.id));
    const own = action(ada.id);
    const shared = action(ada.id, ours.id, { created_at: at(1) });
    const foreign = action(theirs.admin.id, theirs.id, { created_at: at(2) });
    const private_ = action(theirs.admin.id);
    for (const made of [foreign, own, shared, private_]) await insert(made);
    for (let count = 0; count < 200; count += 1) await insert(action(full.id));
    const body = { name: 'One more', prompt: 'Write.', workspace_id: null };
    expect(await called(createAction, by(full.id), { body })).toBe('limit_reached');
    const stored = async (who: Principal) =>
      (await actions(steno.database.db, askerOf(who))).filter(({ user_id }) => user_id !== null);
    const seen = async (userId: string, workspaceId: string | null = null) =>
      idsOf(await stored(by(userId, workspaceId)));
    expect(await seen(ada.id)).toEqual([own.id, shared.id, foreign.id]);
    expect(await seen(eve.id)).toEqual([shared.id]);
    expect(await seen(ada.id, ours.id)).toEqual([shared.id]);

    const update = (userId: string, id: string, workspaceId: string | null = null) =>
      called(updateAction, by(userId, workspaceId), { id, body: { name: 'New' } });
    expect(await update(eve.id, shared.id)).toBe('not_found');
    expect(await update(ada.id, foreign.id)).toBe('not_found');
    expect(await update(eve.id, own.id)).toBe('not_found');
    expect(await update(eve.id, foreign.id, ours.id)).toBe('not_found');
    expect(await update(ours.admin.id, shared.id)).toMatchObject({ name: 'New', updated_at: at(5) });
    expect(await update(ada.id, own.id)).toMatchObject({ name: 'New' });
    expect(await update(eve.id, shared.id, ours.id)).toMatchObject({ name: 'New' });
    const names = (await stored(by(ada.id))).map(({ name }) => name);
    expect(names).toEqual(['New', 'New', 'Minutes']);
    expect(await called(deleteAction, by(eve.id), { id: shared.id })).toBe('not_found');
    expect(await called(deleteAction, by(ours.admin.id), { id: shared.id })).toBeUndefined();
    expect(await seen(ada.id)).toEqual([own.id, foreign.id]);
  });
});
