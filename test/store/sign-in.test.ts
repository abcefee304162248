import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AccountSuspended } from '../../src/domain/user.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { at, insertPerson, sessionRow, toldOf, userRow } from '../support/rows.ts';
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

const link = (userId: string, fields = {}) => ({
  token_hash: newUuid(),
  user_id: userId,
  expires_at: at(900),
  created_at: at(0),
  session_id: null,
  ...fields,
});
/** As the operator's link does it. */
async function signIn(userId: string, second = 0) {
  const [made, opened] = [link(userId, { expires_at: at(second + 900) }), sessionRow(second)];
  await store.signInLinks.insert(made);
  expect(await store.signInLinks.redeem(made.token_hash, opened, 'link')).toMatchObject({ id: userId });
  return opened;
}
const actsOf = async (actorId: string) =>
  (await store.audit.list({ actorId }, { limit: 50 })).map(({ act, detail }) => `${act} ${detail}`);
const told = async (subjectId: string) =>
  (await toldOf(store, subjectId)).map(({ act, subject_name, detail }) => [act, subject_name, detail]);

describe('sessions', () => {
  test('are one’s own: listed, extended and ended by their owner alone', async () => {
    const [ada, eve] = [await person(), await person()];
    const [first, second, third] = [
      await signIn(ada.id, 1),
      await signIn(ada.id, 2),
      await signIn(ada.id, 3),
    ];
    const other = await signIn(eve.id, 4);
    const idsOf = async (userId: string, now = at(5)) =>
      (await store.sessions.list(userId, now)).map(({ id }) => id);
    expect(await idsOf(ada.id)).toEqual([third.id, second.id, first.id]);
    expect(await store.sessions.findWithUser(other.token_hash)).toMatchObject({
      session: { id: other.id },
      user: { id: eve.id },
    });
    expect(await store.sessions.findWithUser(newUuid())).toBeUndefined();

    const later = { expires_at: at(90 * day), updated_at: at(6) };
    expect(await store.sessions.extend(second.id, later)).toBe(true);
    expect(await store.sessions.extend(newUuid(), later)).toBe(false);
    expect(await idsOf(ada.id, at(60 * day))).toEqual([second.id]);
    expect(await idsOf(eve.id, at(60 * day))).toEqual([]);

    expect(await store.sessions.remove(eve.id, first.id)).toBe(false);
    expect(await store.sessions.remove(ada.id, first.id)).toBe(true);
    expect(await store.sessions.removeByHash(newUuid())).toBeUndefined();
    expect(await store.sessions.removeByHash(third.token_hash)).toEqual({ user_id: ada.id, provider: null });
    expect(await idsOf(ada.id)).toEqual([second.id]);
    await store.sessions.removeAll(ada.id);
    expect(await idsOf(ada.id)).toEqual([]);
    expect(await idsOf(eve.id)).toEqual([other.id]);
    expect(await actsOf(eve.id)).toEqual(['sign_in link']);
  });

  test('that have expired are forgotten when anybody signs in', async () => {
    const [ada, eve] = [await person(), await person()];
    const old = await signIn(ada.id, 40 * day);
    const fresh = await signIn(ada.id, 60 * day);
    await signIn(eve.id, 75 * day);
    expect(await store.sessions.findWithUser(old.token_hash)).toBeUndefined();
    expect(await store.sessions.findWithUser(fresh.token_hash)).toBeDefined();
  });

  test('say whether they are an operator’s, and end for somebody suspended, who cannot begin another', async () => {
    const [ada, eve] = [await person(), await person()];
    const [hers, his] = [await signIn(ada.id), await signIn(eve.id)];
    await store.users.setOperator(ada.id, true);
    const found = (one: typeof hers) => store.sessions.findByHash(one.token_hash);
    expect(await found(hers)).toMatchObject({ user_id: ada.id, is_operator: true, by_app_password: false });
    expect(await found(his)).toMatchObject({ user_id: eve.id, is_operator: false });
    await store.users.setOperator(ada.id, false);

    const made = link(eve.id);
    await store.signInLinks.insert(made);
    expect(await store.people.setSuspended(eve.id, at(5))).toBe('ok');
    expect(await found(his)).toBeUndefined();
    expect(await found(hers)).toBeDefined();
    expect(await store.signInLinks.find(made.token_hash, at(1))).toBeUndefined();
    const another = link(eve.id);
    await store.signInLinks.insert(another);
    await expect(store.signInLinks.redeem(another.token_hash, sessionRow(6), 'link')).rejects.toThrow(
      AccountSuspended,
    );
    await signIn(ada.id, 7);
    // Twice is as good as once, and told once.
    expect(await store.people.setSuspended(eve.id, at(8))).toBe('ok');
    expect(await store.people.setSuspended(newUuid(), at(8))).toBe('not found');
    expect(await store.people.setSuspended(eve.id, null)).toBe('ok');
    expect(await found(his)).toBeDefined();
    const acts = (await told(eve.id)).map(([act]) => act);
    expect(acts.filter((act) => act === 'account.suspended')).toHaveLength(1);
    expect(acts).toContain('account.resumed');
  });
});

describe('links to sign in', () => {
  test('work once, until they expire, and each for its own account and kind', async () => {
    const [ada, eve] = [await person(), await person()];
    const [one, other, late] = [link(ada.id), link(eve.id), link(ada.id, { expires_at: at(50) })];
    for (const made of [one, other, late]) expect(await store.signInLinks.insert(made)).toBe(true);
    expect(await store.signInLinks.find(other.token_hash, at(1))).toEqual(await store.users.find(eve.id));
    expect(await store.signInLinks.find(other.token_hash, at(900))).toBeUndefined();
    expect(await store.signInLinks.redeem(one.token_hash, sessionRow(1), 'one-time token')).toBeUndefined();
    expect(await store.signInLinks.redeem(late.token_hash, sessionRow(50), 'link')).toBeUndefined();
    expect(await store.signInLinks.redeem(one.token_hash, sessionRow(2), 'link')).toMatchObject({
      id: ada.id,
    });
    expect(await store.signInLinks.redeem(one.token_hash, sessionRow(3), 'link')).toBeUndefined();
    expect(await store.signInLinks.find(other.token_hash, at(4))).toBeDefined();
    expect(await told(eve.id)).toContainEqual(['sign_in_link.made', eve.email, null]);
    // The next link that anybody makes cleans up.
    await store.signInLinks.insert(link(ada.id, { created_at: at(900), expires_at: at(1_800) }));
    const left = await steno.database.db.selectFrom('sign_in_links').select('token_hash').execute();
    expect(left).not.toContainEqual({ token_hash: other.token_hash });
  });

  test('of a session end with it, and with its next one; they are no operator’s link', async () => {
    const [ada, eve] = [await person(), await person()];
    const [hers, his] = [await signIn(ada.id), await signIn(eve.id)];
    await steno.database.write((db) =>
      db.updateTable('sessions').set({ provider: 'https://id.example' }).where('id', '=', hers.id).execute(),
    );
    const [first, second] = [1, 2].map(() => link(ada.id, { session_id: hers.id }));
    const other = link(eve.id, { session_id: his.id });
    for (const made of [first, other, second])
      if (made) expect(await store.signInLinks.insert(made)).toBe(true);
    const redeem = (made = other, opened = sessionRow(3)) =>
      store.signInLinks.redeem(made.token_hash, opened, 'one-time token');
    expect(await redeem(first)).toBeUndefined();
    expect(await store.signInLinks.find(other.token_hash, at(1))).toBeUndefined();
    expect(await store.signInLinks.redeem(other.token_hash, sessionRow(3), 'link')).toBeUndefined();
    expect(await redeem(other)).toMatchObject({ id: eve.id });
    const opened = sessionRow(4);
    expect(await redeem(second, opened)).toMatchObject({ id: ada.id });
    expect((await store.sessions.findWithUser(opened.token_hash))?.session.provider).toBe(
      'https://id.example',
    );
    expect(await told(ada.id)).toContainEqual(['sign_in_link.made', ada.email, 'one-time token']);
    await store.sessions.remove(ada.id, hers.id);
    expect(await store.signInLinks.insert(link(ada.id, { session_id: hers.id }))).toBe(false);
  });
});

describe('codes by e-mail', () => {
  const request = (email: string, second: number, client: string = newUuid()) =>
    store.emailCodes.request({
      email,
      client,
      now: ms(second),
      code_hash: email,
      expires_at: at(second + 600),
    });
  const redeem = (email: string, second: number, fields = {}) =>
    store.emailCodes.redeem({
      email,
      now: at(second),
      maxWrongTries: 2,
      matches: (hash) => hash === email,
      grant: { kind: 'session', session: sessionRow(second) },
      newUser: null,
      ...fields,
    });
  const wrong = { matches: () => false };

  test('are locked after some wrong tries, and stay so for the right one', async () => {
    const [ada, eve] = [await person(), await person()];
    for (const { email } of [ada, eve]) expect(await request(email, 0)).toBe(0);
    const tries = [];
    for (const given of [wrong, wrong, {}, wrong, {}, wrong]) tries.push(await redeem(ada.email, 1, given));
    // Once locked, it soon stops counting.
    expect(tries).toEqual([1, 2, 3, 4, 4, 4].map((count) => ({ kind: 'wrong', tries: count })));
    expect(await redeem(eve.email, 2, wrong)).toEqual({ kind: 'wrong', tries: 1 });
    expect(await redeem(eve.email, 2)).toMatchObject({ kind: 'ok', user: { id: eve.id } });
    expect(await redeem(eve.email, 2)).toEqual({ kind: 'wrong', tries: 0 });
    expect(await actsOf(eve.id)).toEqual(['sign_in code']);
    expect(await redeem(ada.email, 2)).toEqual({ kind: 'wrong', tries: 4 });
    // A new code begins anew.
    expect(await request(ada.email, 60)).toBe(0);
    expect(await redeem(ada.email, 61)).toMatchObject({ kind: 'ok' });
  });

  test('expire, and are forgotten when anybody asks for one', async () => {
    const [ada, eve] = [await person(), await person()];
    await request(ada.email, 0);
    expect(await redeem(ada.email, 600)).toEqual({ kind: 'expired' });
    await request(eve.email, 599);
    expect(await redeem(ada.email, 600)).toEqual({ kind: 'expired' });
    await request(`${newUuid()}@example.org`, 600);
    expect(await redeem(ada.email, 600)).toEqual({ kind: 'wrong', tries: 0 });
    expect(await redeem(eve.email, 600)).toMatchObject({ kind: 'ok' });
  });

  test('are counted by address and by network, each for an hour', async () => {
    const [address, network] = [`${newUuid()}@example.org`, newUuid()];
    expect(await request(address, 0, network)).toBe(0);
    expect(await request(address, 59)).toBe(1_000);
    for (let count = 1; count < 10; count += 1)
      expect(await request(`${newUuid()}@example.org`, count, network)).toBe(0);
    expect(await request(`${newUuid()}@example.org`, 3_599, network)).toBe(1_000);
    expect(await request(`${newUuid()}@example.org`, 3_599)).toBe(0);
    expect(await request(`${newUuid()}@example.org`, 3_600, network)).toBe(0);
    // Asked for while the clock was wrong.
    await request(address, 90 * day);
    expect(await request(address, 3_601)).toBe(0);
  });

  test('make an account only where one may be made', async () => {
    const email = `${newUuid()}@example.org`;
    await request(email, 0);
    expect(await redeem(email, 1)).toEqual({ kind: 'wrong', tries: 0 });
    await request(email, 100);
    const newUser = userRow({ email });
    expect(await redeem(email, 101, { newUser })).toEqual({ kind: 'ok', user: newUser });
    await request(email, 200);
    expect(await redeem(email, 201, { newUser: userRow({ email }) })).toEqual({ kind: 'ok', user: newUser });
    expect(await told(newUser.id)).toEqual([['account.created', email, null]]);
  });

  test('give an address to the account that asked, unless another has it', async () => {
    const [ada, eve] = [await person(), await person()];
    const grant = { kind: 'address', userId: ada.id };
    const email = `${newUuid()}@example.org`;
    await request(email, 0);
    expect(await redeem(email, 1, { grant })).toMatchObject({ kind: 'ok', user: { id: ada.id, email } });
    expect(await store.users.find(eve.id)).toMatchObject({ email: eve.email });
    await request(eve.email, 0);
    expect(await redeem(eve.email, 1, { grant })).toEqual({ kind: 'taken' });
    await request(ada.email, 0);
    expect(await redeem(ada.email, 1, { grant: { kind: 'address', userId: newUuid() } })).toEqual({
      kind: 'wrong',
      tries: 0,
    });
  });

  test('give agents a token, which expired ones make room for', async () => {
    const ada = await person();
    const tokens = [
      { id: newUuid(), token_hash: newUuid(), expires_at: at(100) },
      { id: newUuid(), token_hash: newUuid(), expires_at: at(2_000) },
      { id: newUuid(), token_hash: newUuid(), expires_at: at(2_000) },
    ];
    for (const [place, token] of tokens.entries()) {
      await request(ada.email, place * 60);
      await redeem(ada.email, place * 60 + 1, { grant: { kind: 'agent', token } });
    }
    const found = await Promise.all(tokens.map((token) => store.agentTokens.findByHash(token.token_hash)));
    expect(found.map((token) => token?.id)).toEqual([undefined, tokens[1]?.id, tokens[2]?.id]);
    expect(found[1]).toMatchObject({ by_app_password: false });
    expect(await actsOf(ada.id)).toEqual(Array(3).fill('sign_in agent code'));
  });
});
