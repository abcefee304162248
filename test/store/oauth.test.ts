import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../src/lib/uuid.ts';
import { at, insertPerson, toldOf } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
let store: TestStore['store'];
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
});
afterAll(() => steno.close());

const person = (fields = {}) => insertPerson(store, fields);
const day = 86_400;
const told = async (subjectId: string) =>
  (await toldOf(store, subjectId)).map(({ act, detail }) => `${act} ${detail}`);

describe('assistants', () => {
  const roomy = { since: at(-1), perNetwork: 100, waiting: 100 };
  const client = (second: number, fields = {}) => ({
    id: newUuid(),
    name: `Assistant ${second}`,
    redirect_uris: ['https://assistant.example/back'],
    network: newUuid(),
    created_at: at(second),
    used_at: null,
    ...fields,
  });
  async function registered(second = 0) {
    const made = client(second);
    expect(await store.oauth.addClient(made, roomy)).toBe('ok');
    return made;
  }
  const isKnown = async ({ id }: { id: string }) => (await store.oauth.findClient(id)) !== undefined;
  const tokens = (second: number, fields = {}) => ({
    access_hash: newUuid(),
    access_expires_at: at(second + 3_600),
    family_hash: newUuid(),
    refresh_hash: newUuid(),
    used_at: at(second),
    expires_at: at(second + 10_000),
    ...fields,
  });
  const grant = (userId: string, clientId: string, fields = {}) => ({
    id: newUuid(),
    user_id: userId,
    client_id: clientId,
    scopes: ['notes:read'],
    resource: 'https://steno.example',
    redirect_uri: 'https://assistant.example/back',
    code_hash: newUuid(),
    code_challenge: 'challenge',
    code_expires_at: at(60),
    created_at: at(0),
    expires_at: at(60),
    ...fields,
  });
  const all = () => true;
  const useCode = (code_hash: string, given = tokens(1), now = at(1), matches: () => boolean = all) =>
    store.oauth.useCode({ code_hash, now, matches }, given);
  async function connected(userId: string, clientId: string, second = 0) {
    const made = grant(userId, clientId, { created_at: at(second) });
    const given = tokens(1);
    expect(await store.oauth.addGrant(made, 50)).toBe(true);
    expect(await useCode(made.code_hash, given)).toEqual(['notes:read']);
    return { ...made, ...given };
  }
  const idsOf = async (userId: string, now = at(2)) =>
    (await store.oauth.list(userId, now)).map(({ id }) => id);

  test('register so often from one network, and no more wait than there is room for', async () => {
    const network = newUuid();
    const bounds = { since: at(day + 10), perNetwork: 2, waiting: 3 };
    const early = [client(day + 10, { network }), client(day + 11, { network })];
    for (const made of early) expect(await store.oauth.addClient(made, bounds)).toBe('ok');
    const [third, fourth] = [client(day + 12, { network }), client(day + 13, { network })];
    expect(await store.oauth.addClient(third, bounds)).toBe('ok');
    expect(await store.oauth.addClient(fourth, bounds)).toBe('too many');
    expect(await isKnown(fourth)).toBe(false);
    const ada = await person();
    await connected(ada.id, third.id);
    // The oldest without a grant goes.
    const elsewhere = [client(day + 14), client(day + 15)];
    for (const made of elsewhere) expect(await store.oauth.addClient(made, bounds)).toBe('ok');
    expect(await Promise.all([...early, third, ...elsewhere].map(isKnown))).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
  });

  test('get no more grants of a person than there may be; those that ended make room', async () => {
    const [ada, eve] = [await person(), await person()];
    const [one, other] = [await registered(), await registered()];
    const theirs = grant(eve.id, one.id, { expires_at: at(20) });
    expect(await store.oauth.addGrant(theirs, 1)).toBe(true);
    expect(await store.oauth.addGrant(grant(ada.id, one.id, { expires_at: at(30) }), 1)).toBe(true);
    expect(await store.oauth.addGrant(grant(ada.id, one.id, { created_at: at(29) }), 1)).toBe(false);
    const next = grant(ada.id, one.id, { created_at: at(30) });
    expect(await store.oauth.addGrant(next, 1)).toBe(true);
    expect(await told(next.id)).toEqual(['grant.made notes:read for assistant.example']);
    // That somebody else's has ended is found out when they come back.
    const rows = await steno.database.db.selectFrom('oauth_grants').select('id').execute();
    expect(rows).toContainEqual({ id: theirs.id });
    expect((await store.oauth.findClient(one.id))?.used_at).toBe(at(30));
    expect((await store.oauth.findClient(other.id))?.used_at).toBe(null);
  });

  test('use a code once, in time and with proof; used twice, it ends what it gave', async () => {
    const [ada, eve] = [await person(), await person()];
    const [one, other] = [await registered(), await registered()];
    const before = await connected(ada.id, one.id);
    const [elsewhere, theirs] = [await connected(ada.id, other.id), await connected(eve.id, one.id)];
    const made = grant(ada.id, one.id);
    await store.oauth.addGrant(made, 50);
    expect(await useCode(newUuid())).toBeUndefined();
    expect(await useCode(made.code_hash, tokens(60), at(60))).toBeUndefined();
    expect(await useCode(made.code_hash, tokens(1), at(1), () => false)).toBeUndefined();
    // Until the code is used, nobody sees it.
    expect(await idsOf(ada.id)).not.toContain(made.id);
    const given = tokens(1);
    expect(await useCode(made.code_hash, given)).toEqual(['notes:read']);
    expect(await store.oauth.findByAccess(given.access_hash)).toMatchObject({
      id: made.id,
      user_id: ada.id,
      client_name: 'Assistant 0',
      expires_at: given.access_expires_at,
      blocked_by: [],
    });
    // The same assistant was connected before; another, and that of somebody else, go on.
    expect(await store.oauth.findByAccess(before.access_hash)).toBeUndefined();
    for (const { access_hash } of [elsewhere, theirs])
      expect(await store.oauth.findByAccess(access_hash)).toBeDefined();
    expect(await useCode(made.code_hash)).toBeUndefined();
    expect(await store.oauth.findByAccess(given.access_hash)).toBeUndefined();
    expect(await told(made.id)).toContain('grant.revoked its code was used twice');
    expect(await idsOf(ada.id)).toEqual([elsewhere.id]);
    expect(await idsOf(eve.id)).toEqual([theirs.id]);
  });

  test('refresh with the last token alone; an earlier one ends the grant', async () => {
    const [ada, one] = [await person(), await registered()];
    const [made, theirs] = [await connected(ada.id, one.id), await connected((await person()).id, one.id)];
    const refresh = (refresh_hash: string, now = at(5), matches: () => boolean = all, next = tokens(5)) =>
      store.oauth.refresh(
        { family_hash: made.family_hash, refresh_hash, now, matches, leewaySince: now, gave: () => false },
        { ...next, family_hash: made.family_hash, successor: 'sealed' },
      );
    expect(await refresh(made.refresh_hash, made.expires_at)).toBeUndefined();
    expect(await refresh(made.refresh_hash, at(5), () => false)).toBeUndefined();
    const next = tokens(5);
    expect(await refresh(made.refresh_hash, at(5), all, next)).toEqual({ scopes: ['notes:read'] });
    expect(await store.oauth.findByAccess(made.access_hash)).toBeUndefined();
    expect(await store.oauth.findByAccess(next.access_hash)).toMatchObject({ id: made.id });
    expect(await store.oauth.findByAccess(theirs.access_hash)).toMatchObject({ id: theirs.id });
    expect(await refresh(made.refresh_hash)).toBeUndefined();
    expect(await store.oauth.findByAccess(next.access_hash)).toBeUndefined();
    expect(await told(made.id)).toContain('grant.revoked a refresh token was used twice');
    expect(await store.oauth.findByAccess(theirs.access_hash)).toMatchObject({ id: theirs.id });
  });

  test('of somebody suspended do nothing until the account works again', async () => {
    const [ada, one] = [await person(), await registered()];
    const other = await registered();
    const [made, waiting] = [await connected(ada.id, one.id), grant(ada.id, other.id)];
    const theirs = await connected((await person()).id, one.id);
    await store.oauth.addGrant(waiting, 50);
    const { family_hash, refresh_hash } = made;
    const refresh = () =>
      store.oauth.refresh(
        { family_hash, refresh_hash, now: at(5), matches: all, leewaySince: at(5), gave: () => false },
        { ...tokens(5), successor: 'sealed' },
      );
    await store.people.setSuspended(ada.id, at(3));
    expect(await store.oauth.findByAccess(made.access_hash)).toBeUndefined();
    expect(await useCode(waiting.code_hash)).toBeUndefined();
    expect(await refresh()).toBeUndefined();
    expect(await store.oauth.findByAccess(theirs.access_hash)).toBeDefined();
    await store.people.setSuspended(ada.id, null);
    expect(await store.oauth.findByAccess(made.access_hash)).toBeDefined();
    expect(await useCode(waiting.code_hash)).toEqual(['notes:read']);
    expect(await refresh()).toEqual({ scopes: ['notes:read'] });
  });

  test('are disconnected by their person, or by themselves with either token', async () => {
    const [ada, eve] = [await person(), await person()];
    const [one, other] = [await registered(1), await registered(2)];
    const [first, second] = [await connected(ada.id, one.id, 1), await connected(ada.id, other.id, 2)];
    const theirs = await connected(eve.id, one.id);
    expect(await idsOf(ada.id)).toEqual([second.id, first.id]);
    expect(await idsOf(ada.id, first.expires_at)).toEqual([]);
    await store.oauth.revokeByToken(first.access_hash, other.id);
    await store.oauth.revokeByToken(newUuid(), one.id);
    expect(await store.oauth.remove(eve.id, first.id)).toBe(false);
    expect(await store.oauth.remove(ada.id, newUuid())).toBe(false);
    expect(await idsOf(ada.id)).toEqual([second.id, first.id]);
    await store.oauth.revokeByToken(first.access_hash, one.id);
    expect(await idsOf(ada.id)).toEqual([second.id]);
    expect(await told(first.id)).toContain('grant.revoked by the assistant');
    await store.oauth.revokeByToken(theirs.refresh_hash, one.id);
    expect(await idsOf(eve.id)).toEqual([]);
    expect(await store.oauth.remove(ada.id, second.id)).toBe(true);
    expect(await idsOf(ada.id)).toEqual([]);
    expect(await told(second.id)).toContain('grant.revoked null');
    const names = (await toldOf(store, second.id)).map(({ subject_name }) => subject_name);
    expect(names).toEqual(['Assistant 2', 'Assistant 2']);
  });

  test('are forgotten when nobody has needed them for long', async () => {
    const ada = await person();
    const [unused, fresh, used, resting, current] = [
      await registered(10),
      await registered(30),
      await registered(10),
      await registered(10),
      await registered(10),
    ];
    const ended = grant(ada.id, used.id, { created_at: at(15), expires_at: at(40) });
    const late = grant(ada.id, resting.id, { created_at: at(25), expires_at: at(40) });
    const kept = grant(ada.id, current.id, { created_at: at(15), expires_at: at(90) });
    for (const made of [kept, ended, late]) await store.oauth.addGrant(made, 50);
    const before = { unusedBefore: at(30), usedBefore: at(20) };
    await store.oauth.forget(at(39), before);
    expect(await Promise.all([unused, fresh, used, resting, current].map(isKnown))).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
    await store.oauth.forget(at(40), before);
    expect(await Promise.all([fresh, used, resting, current].map(isKnown))).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect(await useCode(kept.code_hash, tokens(41), at(41))).toEqual(['notes:read']);
    expect(await useCode(late.code_hash, tokens(41), at(41))).toBeUndefined();
  });
});
