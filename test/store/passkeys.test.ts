import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AccountSuspended } from '../../src/domain/user.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { at, insertPerson, sessionRow, toldOf } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
let store: TestStore['store'];
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
});
afterAll(() => steno.close());

const person = (fields = {}) => insertPerson(store, fields);
const actsOf = async (actorId: string) =>
  (await store.audit.list({ actorId }, { limit: 50 })).map(({ act, detail }) => `${act} ${detail}`);
const told = async (subjectId: string) =>
  (await toldOf(store, subjectId)).map(({ act, subject_name, detail }) => [act, subject_name, detail]);

describe('app passwords', () => {
  const password = (userId: string) => ({
    id: newUuid(),
    user_id: userId,
    name: 'Mail',
    password_hash: newUuid(),
    created_at: at(0),
    used_at: null,
  });
  const insert = (made: ReturnType<typeof password>, most = 2) =>
    store.appPasswords.insert(made, most, { password: 'secret' });

  test('open their own account alone, and end with what they opened', async () => {
    const [ada, eve] = [await person(), await person()];
    const [one, two, other] = [password(ada.id), password(ada.id), password(eve.id)];
    for (const made of [other, one, two]) expect(await insert(made)).toBe('ok');
    expect(await insert(password(ada.id))).toBe('too many');
    const use = (email: string, { password_hash }: typeof one, opened = sessionRow(5)) =>
      store.appPasswords.signIn({ email, password_hash }, opened);
    expect(await use(eve.email, one)).toBeUndefined();
    expect(await use(ada.email, password(ada.id))).toBeUndefined();
    const opened = sessionRow(6);
    expect(await use(ada.email, one, opened)).toMatchObject({ user: { id: ada.id } });
    expect(await store.sessions.findByHash(opened.token_hash)).toMatchObject({ by_app_password: true });
    expect(await actsOf(ada.id)).toEqual(['sign_in app password']);
    const used = async (userId: string) =>
      (await store.appPasswords.list(userId)).map(({ id, used_at }) => [id, used_at]);
    expect(await used(ada.id)).toEqual(
      [
        [one.id, at(6)],
        [two.id, null],
      ].sort(),
    );
    expect(await used(eve.id)).toEqual([[other.id, null]]);

    expect(await store.appPasswords.remove(eve.id, one.id)).toBe(false);
    expect(await store.appPasswords.remove(ada.id, one.id)).toBe(true);
    expect(await store.sessions.findByHash(opened.token_hash)).toBeUndefined();
    expect(await used(ada.id)).toEqual([[two.id, null]]);
    expect(await told(one.id)).toEqual(
      expect.arrayContaining([
        ['app_password.created', 'Mail', null],
        ['app_password.revoked', 'Mail', null],
      ]),
    );
  });
});

describe('passkeys', () => {
  const passkey = (userId: string, fields = {}) => ({
    id: newUuid(),
    user_id: userId,
    name: 'Phone',
    credential_id: newUuid(),
    transports: 'usb',
    backed_up: false,
    public_key: 'key',
    counter: 0,
    created_at: at(0),
    used_at: null,
    ...fields,
  });
  const challenge = (expires = 300) => ({ challenge: newUuid(), expires_at: at(expires) });

  test('are added once each, with a challenge that works once, up to a number', async () => {
    const [ada, eve] = [await person(), await person()];
    const [one, two, other] = [passkey(ada.id), passkey(ada.id), passkey(eve.id)];
    const used = challenge();
    expect(await store.passkeys.insert(other, challenge(), 2)).toBe('ok');
    expect(await store.passkeys.insert(one, used, 2)).toBe('ok');
    expect(await store.passkeys.insert(two, used, 2)).toBe('used');
    const same = passkey(ada.id, { credential_id: other.credential_id });
    expect(await store.passkeys.insert(same, challenge(), 2)).toBe('known');
    expect(await store.passkeys.insert(two, challenge(), 2)).toBe('ok');
    expect(await store.passkeys.insert(passkey(ada.id), challenge(), 2)).toBe('too many');
    expect(await store.passkeys.findByCredential(two.credential_id)).toEqual(two);
    // A challenge that has expired needs no memory; one that has not does.
    const [early, late] = [challenge(400), challenge(900)];
    await store.passkeys.insert(passkey(eve.id, { created_at: at(1) }), late, 9);
    await store.passkeys.insert(passkey(eve.id, { created_at: at(1) }), early, 9);
    await store.passkeys.insert(passkey(eve.id, { created_at: at(400) }), challenge(900), 9);
    const known = await steno.database.db.selectFrom('used_challenges').select('challenge').execute();
    expect(known).toContainEqual({ challenge: late.challenge });
    expect(known).not.toContainEqual({ challenge: early.challenge });

    expect(await store.passkeys.rename(eve.id, one.id, 'Mine')).toBeUndefined();
    expect(await store.passkeys.rename(ada.id, one.id, 'Mine')).toEqual({ ...one, name: 'Mine' });
    const mine = (await store.passkeys.list(ada.id)).map(({ id, name }) => [id, name]);
    expect(mine.sort()).toEqual(
      [
        [one.id, 'Mine'],
        [two.id, 'Phone'],
      ].sort(),
    );
    expect(await store.passkeys.remove(eve.id, one.id)).toBe(false);
    expect(await store.passkeys.remove(ada.id, one.id)).toBe(true);
    expect((await store.passkeys.list(ada.id)).map(({ id }) => id)).toEqual([two.id]);
    expect((await told(one.id)).map(([act]) => act).sort()).toEqual(['passkey.added', 'passkey.removed']);
  });

  test('sign in only while their counter grows, or stays at nothing', async () => {
    const [ada, eve] = [await person(), await person()];
    const [counts, stays, other] = [passkey(ada.id, { counter: 3 }), passkey(ada.id), passkey(eve.id)];
    for (const made of [counts, stays, other]) await store.passkeys.insert(made, challenge(), 9);
    const use = (id: string, counter: number, used = challenge()) =>
      store.passkeys.signIn({ id, counter, backed_up: true }, used, sessionRow(7));
    const used = challenge();
    expect(await use(counts.id, 4, used)).toMatchObject({ id: ada.id });
    expect(await use(counts.id, 5, used)).toBeUndefined();
    expect(await use(counts.id, 4)).toBeUndefined();
    expect(await use(counts.id, 0)).toBeUndefined();
    expect(await use(stays.id, 0)).toMatchObject({ id: ada.id });
    expect(await use(stays.id, 0)).toMatchObject({ id: ada.id });
    expect(await use(newUuid(), 1)).toBeUndefined();
    expect(await store.passkeys.findByCredential(counts.credential_id)).toMatchObject({
      counter: 4,
      backed_up: true,
      used_at: at(7),
    });
    expect(await store.passkeys.findByCredential(other.credential_id)).toEqual(other);
    expect(await actsOf(ada.id)).toEqual(Array(3).fill('sign_in passkey'));
    await store.people.setSuspended(ada.id, at(8));
    const spent = challenge();
    await expect(use(stays.id, 0, spent)).rejects.toThrow(AccountSuspended);
    await store.people.setSuspended(ada.id, null);
    expect(await use(stays.id, 0, spent)).toBeUndefined();
    expect(await use(other.id, 1)).toMatchObject({ id: eve.id });
  });
});
