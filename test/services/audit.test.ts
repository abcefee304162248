import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { AuditFilter } from '../../src/domain/audit.ts';
import type { PageQuery } from '../../src/domain/page.ts';
import { eventsAsCsv, listEvents } from '../../src/features/audit/acts.ts';
import type { Refusals } from '../../src/features/audit/queries.ts';
import { addTo, countRefusals } from '../../src/features/audit/refusals.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { silentLog } from '../support/steno.ts';
import { openStore, type TestStore } from '../support/store.ts';

const hour = '2026-01-01T10:00:00.000Z';
const filter = { act: 'credential.refused' } as const;

let steno: TestStore;
let written: (readonly Refusals[])[];
beforeAll(async () => {
  steno = await openStore('sqlite');
});
beforeEach(async () => {
  written = [];
  await steno.database.write((trx) => trx.deleteFrom('audit_events').execute());
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => steno.close());

/** On the real database, except for refusals if `add` says so. */
function open(add = addTo(steno.database)) {
  const refusals = countRefusals({
    clock: () => Date.parse(hour) + 1_800_000,
    log: silentLog,
    async add(batch, most) {
      written.push(batch);
      return add(batch, most);
    },
  });
  const context = { ...steno.look(), parts: { ...steno.parts, refusals } };
  return {
    ...refusals,
    list: (wanted: AuditFilter, page: PageQuery) => listEvents(context, wanted, page),
    csv: (wanted: AuditFilter) => eventsAsCsv(context, wanted),
  };
}
const stored = async () =>
  (await steno.store.audit.list(filter, { limit: 10 })).map(({ address, times }) => [address, times]);
const linesOf = async (audit: ReturnType<typeof open>) => {
  let text = '';
  for await (const part of audit.csv(filter)) text += part;
  return text.split('\r\n').slice(1, -1);
};

test('refusals are written every 15 seconds, once, and at the end', async () => {
  const audit = open();
  audit.refused('credential.refused', '192.0.2.1');
  audit.refused('credential.refused', '192.0.2.1');
  vi.advanceTimersByTime(15_000);
  await expect.poll(stored).toEqual([['192.0.2.1', 2]]);
  // Without another one there is nothing to write.
  vi.advanceTimersByTime(15_000);
  expect(written).toHaveLength(1);
  audit.refused('credential.refused', '192.0.2.1');
  await audit.close();
  expect(await stored()).toEqual([['192.0.2.1', 3]]);
  expect(vi.getTimerCount()).toBe(0);
});

test('refusals that could not be written are counted with the next ones', async () => {
  let isBroken = true;
  const audit = open(async (...given) => {
    if (isBroken) throw new Error('disk full');
    return addTo(steno.database)(...given);
  });
  for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) audit.refused('credential.refused', address);
  await expect(audit.list(filter, { limit: 10 })).rejects.toThrow('disk full');
  isBroken = false;
  audit.refused('credential.refused', '192.0.2.1');
  const events = await audit.list(filter, { limit: 10 });
  expect(events.map(({ address, times, created_at }) => [address, times, created_at]).sort()).toEqual([
    ['192.0.2.1', 3, hour],
    ['192.0.2.2', 1, hour],
  ]);
  await audit.close();
});

test('a thousand addresses are remembered, the others are counted together', async () => {
  const audit = open(async () => {});
  const addressOf = (at: number) => `10.0.${Math.floor(at / 250)}.${at % 250}`;
  for (let at = 0; at < 1_005; at += 1) audit.refused('credential.refused', addressOf(at));
  // One that is known already keeps its own count.
  audit.refused('credential.refused', addressOf(0));
  await audit.close();
  const [batch = []] = written;
  expect(batch).toHaveLength(1_001);
  expect(batch[0]).toMatchObject({ address: addressOf(0), times: 2 });
  expect(batch.at(-1)).toMatchObject({ address: 'other addresses', times: 5 });
});

test('the CSV has what was refused just now, and every event once, however many reads it takes', async () => {
  const audit = open();
  audit.refused('credential.refused', '192.0.2.1');
  expect(await linesOf(audit)).toEqual([expect.stringContaining('"192.0.2.1"')]);
  const many = Array.from({ length: 999 }, (_, at) => ({
    ...filter,
    id: newUuid(),
    address: `2001:db8:${at}::/64`,
    created_at: hour,
  }));
  await steno.database.write((trx) => trx.insertInto('audit_events').values(many).execute());
  // A read has 500; the last one of these is full, and the next one empty.
  expect(new Set(await linesOf(audit)).size).toBe(1_000);
  expect(await linesOf(audit)).toHaveLength(1_000);
  await audit.close();
});
