import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newSecret, personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { type Authentication, createAuthentication } from '../../src/features/identity/authentication.ts';
import { type KeyStore, selectLiveKey } from '../../src/platform/database/keys.ts';
import { databaseKinds, silentLog } from '../support/steno.ts';
import { openStore, type TestStore } from '../support/store.ts';

describe.each(databaseKinds)('authentication on %s', (databaseKind) => {
  let steno: TestStore;
  let authentication: Authentication;
  let now: number;
  let reads: string[];
  beforeEach(async () => {
    now = Date.UTC(2026, 0, 1);
    reads = [];
    steno = await openStore(databaseKind, { clock: () => now });
    authentication = authenticationOn(steno.store.keys);
  });
  afterEach(async () => {
    await authentication.close();
    await steno.close();
  });

  /** The real store, whose lookups are counted. */
  function authenticationOn(keys: KeyStore, changes: Partial<KeyStore> = {}): Authentication {
    const counted: KeyStore = {
      ...keys,
      findByHash(hash) {
        reads.push(hash);
        return keys.findByHash(hash);
      },
      ...changes,
    };
    return createAuthentication({
      database: steno.database,
      keys: counted,
      clock: () => now,
      log: silentLog,
    });
  }

  async function person(expiresInDays?: number) {
    const user = await steno.users.add({ name: 'Ada', email: null, plan: 'pro' });
    const draft = { name: 'Laptop', scopes: personalScopes, expires_in_days: expiresInDays };
    const key = await steno.keys.issue(operator, personalKeysOf(user.id), draft);
    return { user, key };
  }

  const lastUsed = async (userId: string) =>
    (await steno.keys.list(operator, personalKeysOf(userId))).map(({ last_used_at }) => last_used_at);

  test('a key is read once and remembered', async () => {
    const { user, key } = await person();
    const principal = await authentication.authenticate(key.key);
    expect(principal).toEqual({
      kind: 'personal',
      userId: user.id,
      plan: 'pro',
      scopes: [...personalScopes],
      blockedBy: [],
      expiresAt: null,
      limitKey: key.id,
      allowedAddresses: null,
      key: { id: key.id, name: 'Laptop' },
    });
    for (let time = 0; time < 10; time += 1)
      expect(await authentication.authenticate(key.key)).toEqual(principal);
    expect(reads).toEqual([key.key_hash]);
  });

  test('the read goes by the index of the hash', async () => {
    const explained =
      databaseKind === 'sqlite'
        ? await selectLiveKey(steno.database.db, 'x').explain(undefined, sql`query plan`)
        : await steno.database.db.transaction().execute(async (trx) => {
            // Three rows are read faster without an index; what counts is that there is one.
            await sql`set local enable_seqscan = off`.execute(trx);
            return selectLiveKey(trx, 'x').explain();
          });
    expect(JSON.stringify(explained)).toMatch(/SEARCH key USING INDEX|Index Scan using api_keys_key_hash/);
  });

  test('a revoked key stops at once, a changed plan counts at once', async () => {
    const [ada, eve] = [await person(), await person()];
    for (const { key } of [ada, eve]) expect(await authentication.authenticate(key.key)).toBeDefined();
    await steno.keys.revoke(operator, personalKeysOf(ada.user.id), ada.key.id);
    expect(await authentication.authenticate(ada.key.key)).toBeUndefined();
    await steno.users.setPlan(eve.user.id, 'free');
    expect(await authentication.authenticate(eve.key.key)).toMatchObject({ plan: 'free' });
    await steno.users.remove(eve.user.id);
    expect(await authentication.authenticate(eve.key.key)).toBeUndefined();
  });

  test('a key revoked while it is being read is not remembered', async () => {
    const { user, key } = await person();
    const { keys } = steno.store;
    const slow = authenticationOn(keys, {
      async findByHash(hash) {
        const found = await keys.findByHash(hash);
        await steno.keys.revoke(operator, personalKeysOf(user.id), key.id);
        return found;
      },
    });
    await slow.authenticate(key.key);
    expect(await slow.authenticate(key.key)).toBeUndefined();
    await slow.close();
  });

  test('an expired key stops at its moment, remembered or not', async () => {
    const { key } = await person(1);
    now += 86_400_000 - 1;
    expect(await authentication.authenticate(key.key)).toBeDefined();
    now += 1;
    expect(await authentication.authenticate(key.key)).toBeUndefined();
    const fresh = authenticationOn(steno.store.keys);
    expect(await fresh.authenticate(key.key)).toBeUndefined();
    await fresh.close();
  });

  test('what does not look like a key is not looked up; an unknown key works once it exists', async () => {
    const { user, key } = await person();
    for (const token of ['', 'owk_live_', `${key.key}x`, key.key.toUpperCase(), 'owt_abc', `${key.key}\n`])
      expect(await authentication.authenticate(token)).toBeUndefined();
    expect(reads).toEqual([]);
    const { secret, key_hash, key_prefix } = newSecret('personal');
    expect(await authentication.authenticate(secret)).toBeUndefined();
    const { key: _, ...stored } = key;
    await steno.store.keys.insert(
      { ...stored, id: user.id, key_hash, key_prefix },
      5,
      new Date(now).toISOString(),
    );
    expect(await authentication.authenticate(secret)).toMatchObject({ userId: user.id });
  });

  test('the last use is written at the latest when the server stops', async () => {
    const { user, key } = await person();
    await authentication.authenticate(key.key);
    now += 59_000;
    await authentication.authenticate(key.key);
    expect(await lastUsed(user.id)).toEqual([null]);
    await authentication.close();
    expect(await lastUsed(user.id)).toEqual(['2026-01-01T00:00:59.000Z']);
  });

  test('the last use is written within a minute', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const running = authenticationOn(steno.store.keys);
    try {
      const { user, key } = await person();
      await running.authenticate(key.key);
      vi.advanceTimersByTime(60_000);
      await expect.poll(() => lastUsed(user.id)).toEqual(['2026-01-01T00:00:00.000Z']);
    } finally {
      await running.close();
      vi.useRealTimers();
    }
  });

  test('the last use is not forgotten when writing it fails', async () => {
    const { user, key } = await person();
    const { keys } = steno.store;
    let failures = 1;
    const troubled = authenticationOn(keys, {
      async touch(used) {
        failures -= 1;
        if (failures === 0) throw new Error('disk full');
        return keys.touch(used);
      },
    });
    await troubled.authenticate(key.key);
    await expect(troubled.close()).rejects.toThrow('disk full');
    await troubled.close();
    expect(await lastUsed(user.id)).toEqual(['2026-01-01T00:00:00.000Z']);
  });

  test('the memory of keys is bounded, and forgetting costs one read', async () => {
    const { user, key } = await person();
    const live = await steno.store.keys.findByHash(key.key_hash);
    const flooded = authenticationOn(steno.store.keys, {
      async findByHash(hash) {
        reads.push(hash);
        return live;
      },
    });
    await flooded.authenticate(key.key);
    for (let count = 0; count < 10_001; count += 1) await flooded.authenticate(newSecret('personal').secret);
    reads = [];
    expect(await flooded.authenticate(key.key)).toMatchObject({ userId: user.id });
    expect(reads).toEqual([key.key_hash]);
    await flooded.close();
  });

  test('a key revoked by another process stops', async () => {
    const { user, key } = await person();
    expect(await authentication.authenticate(key.key)).toBeDefined();
    const beside = await steno.another();
    await beside.keys.revoke(operator, personalKeysOf(user.id), key.id);
    // SQLite tells at the next turn of the event loop, PostgreSQL by a message.
    await expect.poll(() => authentication.authenticate(key.key)).toBeUndefined();
  });
});
