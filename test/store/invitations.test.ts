import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../src/lib/uuid.ts';
import { at, insertPerson, insertTeam, invitationRow } from '../support/rows.ts';
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
const day = 86_400;
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

describe('invitations', () => {
  async function invited({ id, admin }: Awaited<ReturnType<typeof team>>, fields = {}) {
    const sent = invitationRow(id, admin.id, fields);
    expect(await store.invitations.put(sent, ms(0))).toBe('ok');
    return sent;
  }

  test('are one for each address of a workspace, and none for whom it would change nothing', async () => {
    const [ours, theirs] = [await team(), await team()];
    const ada = await joined(ours.id);
    const put = (fields: object) =>
      store.invitations.put(invitationRow(ours.id, ours.admin.id, fields), ms(0));
    expect(await put({ email: ada.email })).toBe('member already');
    expect(await put({ email: ada.email, managed: true })).toBe('ok');
    await store.members.change(ours.id, ada.id, { managed: true }, true);
    expect(await put({ email: ada.email, managed: true })).toBe('member already');
    expect(await put({ email: theirs.admin.email })).toBe('ok');
    const again = invitationRow(ours.id, ours.admin.id, { email: theirs.admin.email, role: 'admin' });
    const other = await invited(theirs, { email: ada.email });
    expect(await store.invitations.put(again, ms(0))).toBe('ok');
    const listed = await store.invitations.list(ours.id, ms(0));
    expect(listed.map(({ email, role }) => [email, role]).sort()).toEqual(
      [
        [ada.email, 'member'],
        [theirs.admin.email, 'admin'],
      ].sort(),
    );
    expect(idsOf(await store.invitations.list(theirs.id, ms(0)))).toEqual([other.id]);
    expect(await told(ours.id)).toEqual(
      expect.arrayContaining([
        `member.invited ${again.id} admin`,
        expect.stringMatching(/ member, managed$/),
      ]),
    );
  });

  test('that expired stay in the list for two weeks, and are then forgotten', async () => {
    const ours = await team();
    const old = await invited(ours);
    const fresh = await invited(ours, { expires_at: at(20 * day) });
    expect(await store.invitations.list(ours.id, ms(28 * day - 1))).toHaveLength(2);
    expect(idsOf(await store.invitations.list(ours.id, ms(28 * day)))).toEqual([fresh.id]);
    const next = invitationRow(ours.id, ours.admin.id, { expires_at: at(50 * day) });
    await store.invitations.put(next, ms(28 * day));
    const rows = steno.database.db.selectFrom('invitations').select('id').where('workspace_id', '=', ours.id);
    expect(idsOf(await rows.execute())).not.toContain(old.id);
    expect(await rows.execute()).toHaveLength(2);
  });

  test('are sent again and taken back by their own workspace alone', async () => {
    const [ours, theirs] = [await team(), await team()];
    const [sent, other] = [await invited(ours), await invited(ours)];
    const changes = { token_hash: newUuid(), expires_at: at(20 * day), invited_by: ours.admin.id, mailed: 0 };
    expect(await store.invitations.renew(theirs.id, sent.id, changes, ms(1))).toBe('not found');
    expect(await store.invitations.renew(ours.id, sent.id, changes, ms(1))).toEqual({ ...sent, ...changes });
    expect(await store.invitations.findByToken(changes.token_hash, at(1))).toMatchObject({
      id: sent.id,
      mailed: 0,
    });
    expect(await store.invitations.findByToken(other.token_hash, at(1))).toMatchObject({ id: other.id });
    expect(await store.invitations.remove(theirs.id, sent.id)).toBe(false);
    expect(await store.invitations.remove(ours.id, sent.id)).toBe(true);
    expect(idsOf(await store.invitations.list(ours.id, ms(0)))).toEqual([other.id]);
    expect(await told(ours.id)).toEqual(
      expect.arrayContaining([`invitation.revoked ${sent.id} null`, `member.invited ${sent.id} member`]),
    );
    expect((await told(ours.id)).filter((act) => act === `member.invited ${sent.id} member`)).toHaveLength(2);
  });

  test('go to one address only so often, and from one admin only so many', async () => {
    const [ours, theirs] = [await team(), await team()];
    const email = `${newUuid()}@example.org`;
    const put = ({ id, admin }: typeof ours, fields = {}, now = ms(0)) =>
      store.invitations.put(invitationRow(id, admin.id, fields), now);
    for (let count = 0; count < 5; count += 1) expect(await put(ours, { email })).toBe('ok');
    expect(await put(theirs, { email }, ms(1))).toEqual({ wait: 3_599_000 });
    const [first] = await store.invitations.list(ours.id, ms(0));
    const renewed = { token_hash: newUuid(), expires_at: at(9), invited_by: theirs.admin.id, mailed: 1 };
    expect(await store.invitations.renew(ours.id, first?.id ?? '', renewed, ms(1))).toEqual({
      wait: 3_599_000,
    });
    expect(await put(theirs)).toBe('ok');
    for (let count = 5; count < 50; count += 1) expect(await put(ours)).toBe('ok');
    expect(await put(ours, {}, ms(2))).toEqual({ wait: 3_598_000 });
    expect(await put(theirs, { email }, ms(3_600))).toBe('ok');
    expect(await put(ours, {}, ms(3_600))).toBe('ok');
  });

  test('are seen, accepted and declined by whoever has the address, while they are open', async () => {
    const [ours, theirs] = [await team(), await team()];
    await store.policies.update(theirs.id, { block_cloud_backup: true });
    const [ada, eve] = [await person(), await person()];
    const first = await invited(ours, { email: ada.email, created_at: at(1) });
    const second = await invited(theirs, { email: ada.email, created_at: at(2), managed: true });
    const other = await invited(ours, { email: eve.email, expires_at: at(30) });
    const of = (userId: string, { id, token_hash }: typeof first, byToken = false) => ({
      invitation: byToken ? { tokenHash: token_hash } : { id },
      userId,
      now: at(29),
    });
    expect(idsOf(await store.invitations.listFor(ada.id, at(29)))).toEqual([first.id, second.id]);
    expect(await store.invitations.listFor(eve.id, at(30))).toEqual([]);
    expect(await store.invitations.findFor(of(eve.id, first))).toBeUndefined();
    expect(await store.invitations.findFor(of(eve.id, first, true))).toBeUndefined();
    expect(await store.invitations.findFor(of(ada.id, second, true))).toMatchObject({
      id: second.id,
      workspace: { id: theirs.id },
      inviter_name: 'Head',
      policy: { block_cloud_backup: true, block_cloud_transcription: false },
    });
    expect(await store.invitations.accept(of(eve.id, first))).toBeUndefined();
    expect(await store.invitations.decline(of(eve.id, first))).toBe(false);
    expect([
      await store.invitations.isInvited(eve.email, at(29)),
      await store.invitations.isInvited(eve.email, at(30)),
    ]).toEqual([true, false]);
    expect(await store.invitations.accept(of(ada.id, second))).toBe(theirs.id);
    expect(await store.workspaces.listJoined(ada.id)).toMatchObject([
      { id: theirs.id, role: 'member', managed: true, policy: { block_cloud_backup: true } },
    ]);
    expect(await store.invitations.decline(of(ada.id, first))).toBe(true);
    expect(await store.invitations.listFor(ada.id, at(29))).toEqual([]);
    expect(idsOf(await store.invitations.listFor(eve.id, at(29)))).toEqual([other.id]);
    expect(await told(theirs.id)).toContain(`member.added ${ada.id} member, managed`);
    // Who may no longer invite has invited nobody.
    await store.members.add(ours.id, member(theirs.admin.id, { role: 'admin' }));
    const late = invitationRow(ours.id, theirs.admin.id, { email: ada.email });
    await store.invitations.put(late, ms(0));
    await steno.database.write((db) =>
      db
        .updateTable('workspace_members')
        .set({ role: 'member' })
        .where('user_id', '=', theirs.admin.id)
        .where('workspace_id', '=', ours.id)
        .execute(),
    );
    expect(await store.invitations.listFor(ada.id, at(3))).toEqual([]);
  });

  test('to be managed leave a member the role that they have', async () => {
    const ours = await team();
    const [ada, eve] = [await joined(ours.id), await joined(ours.id)];
    const managed = await invited(ours, { email: ours.admin.email, managed: true });
    const plain = invitationRow(ours.id, ours.admin.id, { email: ada.email, role: 'admin' });
    await store.invitations.accept({ invitation: { id: managed.id }, userId: ours.admin.id, now: at(1) });
    await steno.database.write((db) =>
      db
        .insertInto('invitations')
        .values({ ...plain, managed: 0 })
        .execute(),
    );
    await store.invitations.accept({ invitation: { id: plain.id }, userId: ada.id, now: at(1) });
    const seen = (await store.members.list(ours.id, at(0))).map((each) => [
      each.user_id,
      each.role,
      each.managed,
    ]);
    expect(seen).toEqual(
      expect.arrayContaining([
        [ours.admin.id, 'admin', true],
        [ada.id, 'member', false],
        [eve.id, 'member', false],
      ]),
    );
  });

  test('let newcomers in by their link, once; who tries many links is stopped', async () => {
    const ours = await team();
    const [sent, other] = [await invited(ours), await invited(ours)];
    const [shown, known] = [
      await invited(ours, { mailed: 0 }),
      await invited(ours, { email: (await person()).email }),
    ];
    const late = await invited(ours, { expires_at: at(10) });
    const join = ({ id: token }: { id: string }, fields = {}) =>
      store.invitations.join({
        token,
        client: 'a network',
        now: ms(10),
        acceptsShownLinks: false,
        ...fields,
      });
    const unknown = { id: newUuid() };
    expect(await join(late)).toBe('not found');
    expect(await join(known)).toBe('has account');
    expect(await join(shown)).toBe('needs code');
    expect(await join(shown, { acceptsShownLinks: true })).toMatchObject({ workspaceId: ours.id });
    const entered = await join(sent);
    expect(entered).toMatchObject({ workspaceId: ours.id, user: { email: sent.email } });
    const { id } = (entered as { user: { id: string } }).user;
    expect(await store.members.roleOf(ours.id, id)).toBe('member');
    expect(await store.sessions.list(id, at(11))).toHaveLength(1);
    expect(await told(ours.id)).toContain(`member.added ${id} member`);
    expect(await join(sent)).toBe('not found');
    for (let count = 2; count < 20; count += 1) expect(await join(unknown)).toBe('not found');
    expect(await join(other)).toEqual({ wait: 3_600_000 });
    expect(await join(unknown, { client: 'another' })).toBe('not found');
    expect(await join(other, { now: ms(3_610) })).toMatchObject({ workspaceId: ours.id });
  });
});
