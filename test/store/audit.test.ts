import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AuditAct, RefusedAct } from '../../src/domain/audit.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { at, insertPerson, insertTeam } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
let store: TestStore['store'];
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
});
// Counts and what is forgotten are everybody's.
beforeEach(() => steno.database.write((db) => db.deleteFrom('audit_events').execute()));
afterAll(() => steno.close());

const counts = async () =>
  (await store.audit.list({}, { limit: 99 }))
    .map(({ act, address, times, created_at }) => [act, address, times, created_at])
    .sort();

test('refusals are counted by act, address and hour; beyond so many addresses, together', async () => {
  const [hour, next] = [at(3_600), at(7_200)];
  const refused = (address: string, times = 1, act: RefusedAct = 'sign_in.refused', of = hour) => ({
    act,
    address,
    hour: of,
    times,
  });
  await store.audit.addRefusals([refused('a'), refused('b', 2)], 3);
  await store.audit.addRefusals(
    [refused('a', 5), refused('a', 1, 'credential.refused'), refused('a', 1, 'sign_in.refused', next)],
    3,
  );
  expect(await counts()).toEqual(
    [
      ['credential.refused', 'a', 1, hour],
      ['sign_in.refused', 'a', 1, next],
      ['sign_in.refused', 'a', 6, hour],
      ['sign_in.refused', 'b', 2, hour],
    ].sort(),
  );
  await store.audit.addRefusals([refused('c', 3), refused('d', 4), refused('b')], 3);
  const now = await counts();
  expect(now).toContainEqual(['sign_in.refused', null, 7, hour]);
  expect(now).toContainEqual(['sign_in.refused', 'b', 3, hour]);
  expect(now).toHaveLength(5);
  await store.audit.addRefusals([refused('c', 1, 'sign_in.refused', next)], 3);
  expect(await counts()).toContainEqual(['sign_in.refused', 'c', 1, next]);
});

test('events are found by workspace, actor, act and time, the newest first, with who acted then', async () => {
  const [ada, ours] = [await insertPerson(store), await insertTeam(store)];
  await steno.database.write((db) => db.deleteFrom('audit_events').execute());
  const record = (act: AuditAct, second: number, actor: string | null, workspace_id: string | null = null) =>
    store.audit.record(
      { act, workspace_id, subject_id: newUuid() },
      {
        created_at: at(second),
        actor_id: actor,
        via: 'session',
        key_id: null,
        address: '192.0.2.1',
        request_id: 'r',
      },
    );
  await record('export.made', 1, ada.id);
  await record('import.made', 2, ada.id, ours.id);
  await record('export.made', 3, ours.admin.id, ours.id);
  await record('export.made', 4, null);
  const found = async (filter: Parameters<typeof store.audit.list>[0]) =>
    (await store.audit.list(filter, { limit: 9 })).map(({ created_at }) => created_at);
  expect(await found({})).toEqual([at(4), at(3), at(2), at(1)]);
  expect(await found({ workspaceId: ours.id })).toEqual([at(3), at(2)]);
  expect(await found({ actorId: ada.id })).toEqual([at(2), at(1)]);
  expect(await found({ act: 'import.made' })).toEqual([at(2)]);
  expect(await found({ since: at(2) })).toEqual([at(4), at(3), at(2)]);
  expect(await found({ until: at(2) })).toEqual([at(1)]);
  const [first] = await store.audit.list({ actorId: ada.id }, { limit: 1 });
  expect(first).toMatchObject({ actor_name: ada.email, via: 'session', address: '192.0.2.1', times: 1 });
  await store.audit.record({ act: 'setting.changed', actor_id: ada.id });
  const [last] = await store.audit.list({}, { limit: 1 });
  expect(last).toMatchObject({ via: 'command line', actor_name: ada.email, address: null });
  await store.audit.forget(at(3));
  expect((await found({})).slice(1)).toEqual([at(4), at(3)]);
  await store.audit.forget(at(3));
  // Many are forgotten in several writes.
  const old = Array.from({ length: 1_001 }, () => ({
    id: newUuid(),
    created_at: at(0),
    act: 'export.made' as const,
  }));
  await steno.database.write((db) => db.insertInto('audit_events').values(old).execute());
  await store.audit.forget(at(3));
  expect(await found({ until: at(3) })).toEqual([]);
  expect((await found({})).slice(1)).toEqual([at(4), at(3)]);
});
