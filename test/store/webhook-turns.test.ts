import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { wholeServer } from '../../src/domain/webhook.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import {
  at,
  deliveryRow,
  insertNote,
  insertPerson,
  insertTeam,
  keyRow,
  type NewWebhook,
  spaceRow,
  webhookRow,
} from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';
import { webhooksIn } from '../support/webhooks.ts';

let steno: TestStore;
let store: TestStore['store'];
let webhooks: ReturnType<typeof webhooksIn>;
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
  webhooks = webhooksIn(steno);
});
// Whoever takes is given the webhook of anybody.
beforeEach(() => steno.database.write((db) => db.deleteFrom('webhooks').execute()));
afterAll(() => steno.close());

async function made(ownerId: string, fields: Partial<NewWebhook> = {}, max = 9) {
  const one = webhookRow(ownerId, fields);
  expect(await webhooks.insert(one, max)).toBe('ok');
  return one;
}
const owner = (ownerId: string) => ({ kind: 'owner', ownerId }) as const;
const session = (userId: string, isOperator = false) => ({ kind: 'session', userId, isOperator }) as const;
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
const places = (fields = {}) => ({ free: 9, perAccount: 9, inFlight: [], ...fields });
const taken = async (now = at(5), fields = {}) => idsOf(await webhooks.takeDue(now, places(fields)));
const rowOf = (id: string) =>
  steno.database.db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

describe('webhooks', () => {
  test('are their owner’s: so many, and out of reach of everybody else', async () => {
    const [ada, eve] = [await insertPerson(store), await insertPerson(store)];
    const first = await made(ada.id, { created_at: at(1) });
    const second = await made(ada.id, { created_at: at(2) });
    const other = await made(eve.id, { created_at: at(3) }, 1);
    expect(await webhooks.insert(webhookRow(ada.id), 2)).toBe('limit reached');
    await expect(webhooks.insert(webhookRow(newUuid()), 2)).rejects.toMatchObject({
      code: 'invalid_api_key',
    });
    expect(idsOf(await webhooks.list(ada.id))).toEqual([first.id, second.id]);
    expect(idsOf(await webhooks.listAll())).toEqual([first.id, second.id, other.id]);
    expect(await webhooks.get(owner(eve.id), first.id)).toBeUndefined();
    expect(await webhooks.get(owner(ada.id), second.id)).toMatchObject({
      id: second.id,
      secret: 'whsec_first',
    });
    const url = 'https://other.example';
    expect(await webhooks.update(owner(eve.id), first.id, { url }, at(5))).toBeUndefined();
    await steno.database.write((db) =>
      db
        .updateTable('webhooks')
        .set({ attempts: 3, failing_since: at(1), next_attempt_at: at(99) })
        .execute(),
    );
    expect(await webhooks.update(owner(ada.id), first.id, { url }, at(5))).toMatchObject({
      url,
      attempts: 0,
      failing_since: null,
      next_attempt_at: at(5),
      updated_at: at(5),
    });
    expect(await rowOf(second.id)).toMatchObject({ url: second.url, attempts: 3 });
    expect(
      await webhooks.rotate(owner(eve.id), first.id, { secret: 'new', until: null }, at(6)),
    ).toBeUndefined();
    await webhooks.rotate(owner(ada.id), first.id, { secret: 'whsec_second', until: at(9) }, at(6));
    expect(await rowOf(first.id)).toMatchObject({
      secret: 'whsec_second',
      old_secret: 'whsec_first',
      old_secret_until: at(9),
    });
    await webhooks.rotate(owner(ada.id), first.id, { secret: 'whsec_third', until: null }, at(6));
    expect(await rowOf(first.id)).toMatchObject({
      secret: 'whsec_third',
      old_secret: null,
      old_secret_until: null,
    });
    expect((await rowOf(second.id)).secret).toBe('whsec_first');
    expect(await webhooks.remove(owner(eve.id), first.id)).toBe(false);
    expect(await webhooks.remove(owner(ada.id), first.id)).toBe(true);
    expect(idsOf(await webhooks.listAll())).toEqual([second.id, other.id]);
  });

  test('of an audit log are reached by admins of the workspace, and by operators', async () => {
    const [ours, theirs] = [await insertTeam(store), await insertTeam(store)];
    const member = await insertPerson(store);
    await store.members.add(ours.id, {
      user_id: member.id,
      role: 'member',
      managed: false,
      created_at: at(0),
    });
    const log = await made(ours.id, {
      workspace_id: ours.id,
      account_id: ours.admin.id,
      events: ['audit.recorded'],
    });
    const server = await made(wholeServer, { account_id: theirs.admin.id, events: ['audit.recorded'] });
    const own = await made(member.id);
    const reached = async (userId: string, isOperator = false) => {
      const found = await Promise.all(
        [log, server, own].map(({ id }) => webhooks.get(session(userId, isOperator), id)),
      );
      return found.map((one) => one !== undefined);
    };
    expect(await reached(ours.admin.id)).toEqual([true, false, false]);
    expect(await reached(theirs.admin.id, true)).toEqual([false, true, false]);
    expect(await reached(member.id)).toEqual([false, false, true]);
  });

  test('keep what was sent by webhook, the last attempt first, for as long as asked', async () => {
    const ada = await insertPerson(store);
    const [one, other] = [await made(ada.id), await made(ada.id)];
    const [early, late, foreign] = [deliveryRow(), deliveryRow({ last_attempt_at: at(2) }), deliveryRow()];
    for (const sent of [early, late]) expect(await webhooks.addDelivery(one.id, sent)).toBe(true);
    await webhooks.addDelivery(other.id, foreign);
    expect(await webhooks.addDelivery(newUuid(), deliveryRow())).toBe(false);
    expect(idsOf(await webhooks.deliveries(one.id, { limit: 9 }))).toEqual([late.id, early.id]);
    expect(idsOf(await webhooks.deliveries(one.id, { limit: 9, after: { at: at(2), id: late.id } }))).toEqual(
      [early.id],
    );
    expect(await webhooks.delivery(one.id, foreign.id)).toBeUndefined();
    expect(await webhooks.delivery(one.id, late.id)).toEqual(late);
    const again = { ...early, attempts: 2, delivered_at: at(3), last_attempt_at: at(3) };
    await webhooks.keepDelivery(again);
    expect(await webhooks.delivery(one.id, early.id)).toEqual(again);
    expect(await webhooks.delivery(one.id, late.id)).toEqual(late);
    await webhooks.removeDeliveries(at(3));
    expect(idsOf(await webhooks.deliveries(one.id, { limit: 9 }))).toEqual([early.id]);
    expect(await webhooks.deliveries(other.id, { limit: 9 })).toEqual([]);
  });
});

describe('whose turn it is', () => {
  test('has something waiting, is active and due', async () => {
    const ada = await insertPerson(store);
    const [due, paused, later] = [
      await made(ada.id),
      await made(ada.id, { status: 'paused' }),
      await made(ada.id, { next_attempt_at: at(6) }),
    ];
    const idle = await made((await insertPerson(store)).id);
    expect(await taken()).toEqual([]);
    const { row } = await insertNote(store, ada.id);
    const [first] = await webhooks.takeDue(at(5), places());
    expect(first?.id).toBe(due.id);
    expect(await taken(at(6), { inFlight: [{ id: due.id, account_id: ada.id }] })).toEqual([later.id]);
    if (!first) throw new Error('nothing was taken');
    const [change] = await webhooks.waiting(first, 9);
    expect(change).toMatchObject({ type: 'note', id: row.id, action: 'created' });
    const upTo = { tx: change?.tx ?? 0, seq: change?.seq ?? 0 };
    const sent = deliveryRow({ delivered_at: at(5) });
    expect(await webhooks.advance(due.id, upTo, [sent], at(5))).toMatchObject({ ...upTo, attempts: 0 });
    expect(await webhooks.delivery(due.id, sent.id)).toEqual(sent);
    expect(await taken(at(5))).toEqual([]);
    expect((await rowOf(later.id)).seq).not.toBe(upTo.seq);
    expect(await webhooks.advance(paused.id, upTo, [], at(5))).toBeUndefined();
    expect(await webhooks.advance(idle.id, upTo, [], at(5))).toBeUndefined();
    await webhooks.update(owner(ada.id), later.id, { status: 'paused' }, at(6));
    expect(await webhooks.advance(later.id, upTo, [], at(6))).toBeUndefined();
  });

  test('is every account’s once before anybody’s twice, and no account has more places than it may', async () => {
    const [ada, eve] = [await insertPerson(store), await insertPerson(store)];
    const hers = [await made(ada.id), await made(ada.id), await made(ada.id)].map(({ id }) => id).sort();
    const his = await made(eve.id);
    for (const { id } of [ada, eve]) await insertNote(store, id);
    const both = await taken(at(5), { free: 2 });
    expect(both).toHaveLength(2);
    expect(both).toContain(his.id);
    expect(await taken(at(5), { perAccount: 2 })).toHaveLength(3);
    const inFlight = [{ id: hers[0] ?? '', account_id: ada.id }];
    const one = await taken(at(5), { perAccount: 2, inFlight });
    expect(one.filter((id) => id !== his.id)).toHaveLength(1);
    expect(one).not.toContain(hers[0]);
    expect(await taken(at(5), { perAccount: 1, inFlight })).toEqual([his.id]);
    // Who has all their places takes none of the others’.
    expect(await taken(at(5), { perAccount: 1, inFlight, free: 1 })).toEqual([his.id]);
  });

  test('is not while another server has it, until that is gone or leaves it', async () => {
    const ada = await insertPerson(store);
    const [one, other] = [await made(ada.id), await made(ada.id)];
    await insertNote(store, ada.id);
    expect((await taken()).sort()).toEqual([one.id, other.id].sort());
    const { processId } = steno.database;
    await webhooks.leaveAll();
    expect((await rowOf(one.id)).holder).toBeNull();
    // On SQLite every other server is gone.
    await steno.database.write((db) =>
      db.updateTable('webhooks').set({ holder: 'gone' }).where('id', '=', one.id).execute(),
    );
    expect(await webhooks.advance(one.id, { tx: 0, seq: 1 }, [], at(5))).toBeUndefined();
    await webhooks.leaveAll();
    expect((await rowOf(one.id)).holder).toBe('gone');
    expect(await taken(at(5), { inFlight: [{ id: other.id, account_id: 'x' }] })).toEqual([one.id]);
    expect([(await rowOf(one.id)).holder, (await rowOf(other.id)).holder]).toEqual([processId, null]);
  });

  test('is put off after a failure, unless somebody changed the webhook meanwhile', async () => {
    const ada = await insertPerson(store);
    const [one, other] = [await made(ada.id), await made(ada.id)];
    await insertNote(store, ada.id);
    const found = await webhooks.takeDue(at(5), places());
    const [first, second] = [one, other].map(({ id }) => found.find((each) => each.id === id));
    if (!first || !second) throw new Error('not taken');
    const failure = {
      status: 'active',
      pause_reason: null,
      failing_since: at(5),
      attempts: 1,
      next_attempt_at: at(35),
    } as const;
    const sent = deliveryRow({ last_attempt_at: at(5), error: 'refused' });
    await webhooks.postpone(first, failure, sent);
    expect(await rowOf(one.id)).toMatchObject({ ...failure, turn_at: at(5) });
    expect((await rowOf(other.id)).attempts).toBe(0);
    expect(await webhooks.delivery(one.id, sent.id)).toEqual(sent);
    const again = { ...sent, attempts: 2, last_attempt_at: at(35) };
    await webhooks.postpone(first, { ...failure, attempts: 2 }, again);
    expect(await webhooks.delivery(one.id, sent.id)).toEqual(again);
    await webhooks.update(owner(ada.id), other.id, { url: 'https://new.example' }, at(6));
    const lost = deliveryRow();
    await webhooks.postpone(second, failure, lost);
    expect((await rowOf(other.id)).attempts).toBe(0);
    expect(await webhooks.delivery(other.id, lost.id)).toBeUndefined();
  });

  test('waits for a suspended account, and ends with the key, the membership or the right of its maker', async () => {
    const [ours, ada] = [await insertTeam(store), await insertPerson(store)];
    await store.members.add(ours.id, { user_id: ada.id, role: 'admin', managed: false, created_at: at(0) });
    const space = await store.spaces.insert(ours.id, spaceRow());
    const [works, ends] = [keyRow(ada.id), keyRow(ada.id, { expires_at: at(9) })];
    for (const key of [works, ends]) await store.keys.insert(key, 9, at(0));
    const byKey = await made(ada.id, { key_id: works.id });
    const byEnding = await made(ada.id, { key_id: ends.id });
    const inSpace = await made(space.id, { space_id: space.id, account_id: ada.id });
    const ofLog = await made(ours.id, {
      workspace_id: ours.id,
      account_id: ada.id,
      events: ['audit.recorded'],
    });
    await insertNote(store, ada.id);
    await insertNote(store, space.id, { space_id: space.id, user_id: ada.id });
    await store.policies.update(ours.id, { block_cloud_backup: true });
    const all = [byKey.id, byEnding.id, inSpace.id, ofLog.id];
    expect((await taken(at(8))).sort()).toEqual(all.sort());
    expect(await taken(at(9))).not.toContain(byEnding.id);
    await store.people.setSuspended(ada.id, at(8));
    expect(await taken(at(8))).toEqual([]);
    const [event] = await store.audit.list({ workspaceId: ours.id }, { limit: 1 });
    const audited = (id: string, workspace_id: string | null) =>
      webhooks.audited({ id, workspace_id }, event?.id ?? '', at(8));
    expect(await audited(ofLog.id, ours.id)).toMatchObject({ event: { id: event?.id }, isAllowed: false });
    await store.people.setSuspended(ada.id, null);
    expect(await audited(ofLog.id, ours.id)).toMatchObject({ isAllowed: true });
    expect(await audited(ofLog.id, newUuid())).toMatchObject({ event: undefined });
    expect(await audited(newUuid(), null)).toMatchObject({ event: { id: event?.id }, isAllowed: false });

    const reasons = { key: 'key', left: 'left', audit: 'audit' };
    expect(await webhooks.pauseWithoutMaker(at(8), reasons)).toEqual([]);
    expect(await webhooks.pauseWithoutMaker(at(9), reasons)).toEqual([byEnding.id]);
    expect(await webhooks.pauseWithoutMaker(at(9), reasons)).toEqual([]);
    await store.members.change(ours.id, ada.id, { role: 'member' }, false);
    expect(await webhooks.pauseWithoutMaker(at(8), reasons)).toEqual([ofLog.id]);
    await store.members.remove(ours.id, ada.id, null);
    expect(await webhooks.pauseWithoutMaker(at(8), reasons)).toEqual([inSpace.id]);
    const states = await Promise.all(
      [byKey, byEnding, inSpace, ofLog].map(async ({ id }) => (await rowOf(id)).pause_reason),
    );
    expect(states).toEqual([null, 'key', 'left', 'audit']);
    expect((await rowOf(byKey.id)).status).toBe('active');
  });
});
