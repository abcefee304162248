import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Grants, noGrants } from '../../src/domain/identity-provider.ts';
import { AccountSuspended } from '../../src/domain/user.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import {
  at,
  insertPerson,
  insertTeam,
  invitationRow,
  keyRow,
  sessionRow,
  toldOf,
  userRow,
} from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
let store: TestStore['store'];
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
});
afterAll(() => steno.close());

const person = (fields = {}) => insertPerson(store, fields);
const told = async (subjectId: string) =>
  (await toldOf(store, subjectId)).map(({ act, detail }) => `${act} ${detail}`);

describe('people whom a provider knows', () => {
  const issuer = 'https://id.example';
  const entered = (fields: object, grants: Grants = noGrants, isAllowed: 'all' | 'invited' = 'all') => {
    return store.identities.signIn({
      identity: { issuer, subject: newUuid(), email: null, name: 'Ada', groups: [], ...fields },
      now: at(5),
      session: sessionRow(5, issuer),
      grants,
      defaultPlan: 'free',
      isAllowed: ({ isInvited }) => isAllowed === 'all' || isInvited,
      newUser: (email) => userRow({ email, plan: 'free' }),
    });
  };
  const team = () => insertTeam(store);
  const roleIn = ({ workspace }: Awaited<ReturnType<typeof team>>, userId: string) =>
    store.members.roleOf(workspace.id, userId);

  test('are found by their subject, else by an address that it vouches for', async () => {
    const [ada, eve] = [await person(), await person()];
    const subject = newUuid();
    expect(await entered({ subject })).toBe('unverified');
    expect(await entered({ subject, email: ada.email })).toEqual({ user: await store.users.find(ada.id) });
    // From now on the address does not matter.
    expect(await entered({ subject })).toMatchObject({ user: { id: ada.id } });
    expect(await entered({ subject, email: eve.email })).toMatchObject({ user: { id: ada.id } });
    expect(await entered({ email: eve.email })).toMatchObject({ user: { id: eve.id } });
    expect(await entered({ issuer: 'https://other.example', subject })).toBe('unverified');
    const email = `${newUuid()}@example.org`;
    const made = await entered({ email });
    expect(made).toMatchObject({ user: { email, plan: 'free' } });
    const acts = await store.audit.list({ actorId: ada.id }, { limit: 9 });
    expect(acts.map(({ act, detail }) => `${act} ${detail}`)).toEqual(Array(3).fill('sign_in oidc'));
    await store.people.setSuspended(ada.id, at(6));
    await expect(entered({ subject })).rejects.toThrow(AccountSuspended);
    expect(await entered({ email: eve.email })).toMatchObject({ user: { id: eve.id } });
  });

  test('come in by an invitation, now and later, and otherwise only if they may', async () => {
    const { admin, workspace } = await team();
    const [email, subject] = [`${newUuid()}@example.org`, newUuid()];
    const invitation = invitationRow(workspace.id, admin.id, { email, expires_at: at(6) });
    expect(await store.invitations.put(invitation, Date.parse(at(0)))).toBe('ok');
    expect(await entered({ email: `${newUuid()}@example.org` }, noGrants, 'invited')).toBe('not allowed');
    expect(await entered({ subject }, noGrants, 'invited')).toBe('unverified');
    expect(await entered({ email, subject }, noGrants, 'invited')).toMatchObject({ user: { email } });
    await store.invitations.remove(workspace.id, invitation.id);
    expect(await entered({ email, subject }, noGrants, 'invited')).toMatchObject({ user: { email } });
    expect(await entered({ subject })).toMatchObject({ user: { email } });
    expect(await entered({ subject }, noGrants, 'invited')).toMatchObject({ user: { email } });
    // Who was let in for another reason has no invitation.
    const other = { email: `${newUuid()}@example.org`, subject: newUuid() };
    await entered(other);
    expect(await entered(other, noGrants, 'invited')).toBe('not allowed');
  });

  test('have what their groups give, and lose only that', async () => {
    const [one, two, gone] = [await team(), await team(), newUuid()];
    const ada = await person({ plan: 'pro' });
    // The last operator keeps the right.
    await store.users.setOperator((await person()).id, true);
    const identity = { subject: newUuid(), email: ada.email };
    const given = (role: 'admin' | 'member', ...teams: (typeof one)[]): Grants => ({
      plan: 'business',
      operator: true,
      workspaces: [...teams.map(({ workspace }) => ({ id: workspace.id, role })), { id: gone, role }],
    });
    const operator = async () => (await store.people.find(ada.id, at(5)))?.operator;
    await entered(identity);
    expect(await store.users.find(ada.id)).toMatchObject({ plan: 'pro' });
    expect(await entered(identity, given('member', one, two))).toMatchObject({ user: { plan: 'business' } });
    expect(await operator()).toBe(true);
    expect([await roleIn(one, ada.id), await roleIn(two, ada.id)]).toEqual(['member', 'member']);
    await entered(identity, given('admin', one, two));
    expect([await roleIn(one, ada.id), await roleIn(two, ada.id)]).toEqual(['admin', 'admin']);
    const key = keyRow(ada.id, { kind: 'workspace', workspace_id: one.workspace.id });
    await store.keys.insert(key, 5, at(0));
    await entered(identity, given('admin', two));
    expect([await roleIn(one, ada.id), await roleIn(two, ada.id)]).toEqual([undefined, 'admin']);
    // Keys that they made there stop with it.
    expect(await store.keys.findByHash(key.key_hash)).toBeUndefined();
    expect(await entered(identity)).toMatchObject({ user: { plan: 'free' } });
    expect(await operator()).toBe(false);
    expect(await roleIn(two, ada.id)).toBeUndefined();
    expect((await told(ada.id)).filter((act) => act.startsWith('member.added'))).toHaveLength(2);
  });

  test('keep what the operator or an admin gave them', async () => {
    const [one, two] = [await team(), await team()];
    const ada = await person({ plan: 'pro' });
    const identity = { subject: newUuid(), email: ada.email };
    await store.users.setOperator(ada.id, true);
    const member = { user_id: ada.id, role: 'member' as const, managed: false, created_at: at(1) };
    for (const { workspace } of [one, two]) await store.members.add(workspace.id, member);
    const workspaces = [{ id: one.workspace.id, role: 'admin' as const }];
    await entered(identity, { plan: null, operator: true, workspaces });
    expect(await store.users.find(ada.id)).toMatchObject({ plan: 'pro' });
    // The role of a member whom an admin added is the admin's to change.
    expect(await roleIn(one, ada.id)).toBe('member');
    await entered(identity);
    expect(await store.people.find(ada.id, at(5))).toMatchObject({ operator: true, plan: 'pro' });
    expect([await roleIn(one, ada.id), await roleIn(two, ada.id)]).toEqual(['member', 'member']);
  });
});
