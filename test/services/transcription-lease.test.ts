import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultPlans } from '../../src/domain/plans.ts';
import type { Principal } from '../../src/domain/principal.ts';
import { takeLease } from '../../src/features/transcribe/lease.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { userRow } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

describe('a lease', () => {
  let steno: TestStore;
  let principal: Principal;
  let now = Date.parse('2026-10-15T12:00:00.000Z');
  beforeAll(async () => {
    steno = await openStore('sqlite');
    const user = userRow();
    await steno.store.users.insert(user);
    principal = {
      kind: 'personal',
      userId: user.id,
      plan: 'pro',
      scopes: [],
      blockedBy: [],
      expiresAt: null,
      allowedAddresses: null,
      limitKey: 'k',
      key: { id: 'k', name: 'key' },
    };
  });
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  afterAll(() => steno.close());

  const take = (signal = new AbortController().signal) =>
    takeLease(
      {
        db: steno.database.db,
        database: steno.database,
        who: principal,
        now: new Date(now).toISOString(),
        newId: newUuid,
        parts: { ...steno.parts, plans: defaultPlans, clock: () => now },
        complete: undefined,
      },
      signal,
    );
  const rows = () => steno.database.db.selectFrom('transcription_leases').select('expires_at').execute();

  test('is renewed every five seconds, for twenty', async () => {
    const lease = await take();
    for (let round = 0; round < 10; round += 1) {
      now += 5_000;
      vi.advanceTimersByTime(5_000);
      await expect.poll(rows).toEqual([{ expires_at: new Date(now + 20_000).toISOString() }]);
    }
    expect(lease.signal.aborted).toBe(false);
    await expect(take()).rejects.toMatchObject({ code: 'concurrency_limit', retryAfterSeconds: 20 });
    await lease.end();
    expect(await rows()).toEqual([]);
  });

  test('that is lost stops the work at the next renewal, and is not renewed after its end', async () => {
    const lease = await take();
    await steno.database.write((trx) => trx.deleteFrom('transcription_leases').execute());
    vi.advanceTimersByTime(5_000);
    await expect.poll(() => lease.signal.aborted).toBe(true);
    expect(lease.signal.reason).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    await expect(lease.reserve(1_000)).rejects.toMatchObject({ code: 'service_unavailable' });
    await lease.end();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('takes a recording as long as what is left, and not a moment more', async () => {
    const lease = await take();
    const left = await lease.leftMs();
    expect(left).toBe(defaultPlans.pro.audioMinutesPerMonth * 60_000);
    await expect(lease.reserve(left + 1)).rejects.toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('is longer than'),
    });
    await lease.reserve(left);
    // What it holds itself is its own.
    expect(await lease.leftMs()).toBe(left);
    await lease.end();
  });

  test('says how long to wait, at least a second', async () => {
    const lease = await take();
    now += 19_500;
    await expect(take()).rejects.toMatchObject({ code: 'concurrency_limit', retryAfterSeconds: 1 });
    await lease.end();
  });

  test('ends with its caller', async () => {
    const client = new AbortController();
    const lease = await take(client.signal);
    client.abort(new Error('gone'));
    expect(lease.signal.aborted).toBe(true);
    await lease.end();
  });
});
