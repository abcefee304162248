import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../src/lib/uuid.ts';
import { completeKey } from '../../src/platform/database/idempotency.ts';
import { databaseKinds } from '../support/steno.ts';
import { openStore, type TestStore } from '../support/store.ts';

const at = '2026-10-15T12:00:00.000Z';
const tomorrow = '2026-10-16T12:00:00.000Z';
const kept = { fingerprint: 'f', answer: 'a' };

describe.each(databaseKinds)('the store of idempotency keys on %s', (databaseKind) => {
  let steno: TestStore;
  beforeAll(async () => {
    steno = await openStore(databaseKind);
  });
  afterAll(() => steno.close());

  const begin = (keyHash: string, id = newUuid(), now = at) =>
    steno.store.idempotency.begin({ id, caller: 'c', route: 'r', keyHash, expiresAt: tomorrow }, now);
  const complete = (id: string) =>
    steno.database.write((tx) => completeKey(tx, { id, complete: () => kept }, { id: '', kept: {} }));

  test('a key whose request ended without a result is free, and not stuck for a day', async () => {
    const id = newUuid();
    expect(await begin('ended', id)).toBe('begun');
    expect(await begin('ended')).toBe('in flight');
    // As when the database failed while the request ended: the row is still there.
    await steno.store.idempotency.end(id, false);
    expect(await begin('ended')).toBe('begun');
  });

  test('a key that was completed stays so, though its request failed afterwards', async () => {
    const id = newUuid();
    await begin('late fault', id);
    await complete(id);
    await steno.store.idempotency.end(id, true);
    expect(await begin('late fault')).toEqual(kept);
  });

  test('a request that fails frees its own key and no other', async () => {
    const [mine, other, done] = [newUuid(), newUuid(), newUuid()];
    for (const [name, id] of [['mine', mine] as const, ['other', other] as const, ['done', done] as const])
      await begin(name, id);
    await complete(done);
    await steno.store.idempotency.end(mine, true);
    expect(await begin('mine')).toBe('begun');
    expect(await begin('other')).toBe('in flight');
    expect(await begin('done')).toEqual(kept);
    await complete(other);
    expect(await begin('other')).toEqual(kept);
  });

  test('a key is kept until its day is over', async () => {
    const id = newUuid();
    await begin('day', id);
    await complete(id);
    expect(await begin('day', newUuid(), '2026-10-16T11:59:59.999Z')).toEqual(kept);
    expect(await begin('day', newUuid(), tomorrow)).toBe('begun');
  });

  test('a key is completed once', async () => {
    const id = newUuid();
    await begin('twice', id);
    await complete(id);
    await expect(complete(id)).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
