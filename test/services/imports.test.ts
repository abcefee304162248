import { fstatSync, openSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxFoldersPerOwner } from '../../src/domain/folder.ts';
import type { CheckedExport, ImportSource, SentExport } from '../../src/domain/imported.ts';
import { defaultPlans } from '../../src/domain/plans.ts';
import type { Principal } from '../../src/domain/principal.ts';
import { importSent } from '../../src/features/import/imports.ts';
import { sameTextKey } from '../../src/lib/text.ts';
import { recordingRecord } from '../support/exports.ts';
import { principalOf } from '../support/principal.ts';
import { folderRow, userRow } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
beforeAll(async () => {
  steno = await openStore('sqlite');
});
afterAll(() => steno.close());

async function* nothing() {}

async function person(changes: Partial<Principal> = {}): Promise<Principal> {
  const user = userRow();
  await steno.store.users.insert(user);
  return { ...principalOf(user.id), ...changes } as Principal;
}

/** Takes a file whose check finds this; tells what was read of it, and what was left open. */
async function taking(principal: Principal, found: Partial<CheckedExport> | Error) {
  const read: string[] = [];
  const list = (kind: keyof ImportSource) => () => {
    read.push(kind);
    return nothing();
  };
  const sent: SentExport = {
    folders: list('folders'),
    tags: list('tags'),
    notes: list('notes'),
    transcriptions: list('transcriptions'),
    recordings: list('recordings'),
    dictionary: list('dictionary'),
    snippets: list('snippets'),
    async check() {
      if (found instanceof Error) throw found;
      return { folderNames: [], tagNames: [], recordings: [], bytes: 0, ...found };
    },
    async close() {
      read.push('closed');
    },
  };
  const fd = openSync(import.meta.filename, 'r');
  const outcome = importSent(
    steno.as(principal),
    async () => fd,
    () => sent,
  );
  await outcome.catch(() => {});
  return { outcome, read, isClosed: () => expect(() => fstatSync(fd)).toThrow('EBADF') };
}
const namesUpTo = (count: number) => Array.from({ length: count }, (_, at) => sameTextKey(`Folder ${at}`));

test('an import may fill the folders to the last, of which some are here already', async () => {
  const ada = await person();
  await steno.store.folders.insert(folderRow(ada.userId, { name: 'Folder 0' }), 50);
  const { outcome, read, isClosed } = await taking(ada, { folderNames: namesUpTo(maxFoldersPerOwner) });
  await expect(outcome).resolves.toMatchObject({ left_out: [] });
  expect(read.at(-1)).toBe('closed');
  isClosed();
});

test('one folder too many ends it before anything is read', async () => {
  const ada = await person();
  await steno.store.folders.insert(folderRow(ada.userId, { name: 'Another' }), 50);
  const { outcome, read, isClosed } = await taking(ada, { folderNames: namesUpTo(maxFoldersPerOwner) });
  await expect(outcome).rejects.toMatchObject({ code: 'limit_reached' });
  expect(read).toEqual(['closed']);
  isClosed();
});

test('a file that is no export is closed, and nothing of it is read', async () => {
  const { outcome, read, isClosed } = await taking(await person(), new Error('no export'));
  await expect(outcome).rejects.toThrow('no export');
  expect(read).toEqual(['closed']);
  isClosed();
});

test.each<[string, Partial<Principal>, string[]]>([
  ['every scope', {}, []],
  [
    'no scope beside notes and folders',
    { scopes: ['notes:write'] },
    ['transcriptions', 'recordings', 'dictionary', 'snippets'],
  ],
  ['a policy against backup', { blockedBy: ['cloud backup'] }, ['dictionary', 'snippets']],
  [
    'both',
    { scopes: ['transcriptions:write', 'snippets:write'], blockedBy: ['cloud backup'] },
    ['dictionary', 'snippets'],
  ],
])('with %s', async (_, changes, leftOut) => {
  const { outcome, read } = await taking(await person(changes), {});
  expect((await outcome).left_out).toEqual(leftOut);
  const kinds = ['folders', 'tags', 'notes', 'transcriptions', 'recordings', 'dictionary', 'snippets'];
  expect(read.slice(0, -1).sort()).toEqual(kinds.filter((kind) => !leftOut.includes(kind)).sort());
});

test('audio beyond the storage of the plan ends it before anything is read; what may not come takes no room', async () => {
  const { recordingMaxBytes: most, storageBytes } = defaultPlans.free;
  expect(storageBytes).toBe(most);
  const sent = (...sizes: number[]): CheckedExport['recordings'] =>
    sizes.map((bytes) => ({ ...recordingRecord({ bytes }), state: 'done' }));
  const plan = 'free';
  const refused = await taking(await person({ plan }), { recordings: sent(most, 1) });
  await expect(refused.outcome).rejects.toMatchObject({ code: 'plan_required' });
  expect(refused.read).toEqual(['closed']);
  // Larger than the plan takes, or not allowed at all.
  const tooLarge = await taking(await person({ plan }), { recordings: sent(most + 1) });
  await expect(tooLarge.outcome).resolves.toMatchObject({ recordings: 0 });
  const unscoped = await person({ plan, scopes: ['notes:write'] });
  const leftOut = await taking(unscoped, { recordings: sent(most, 1) });
  await expect(leftOut.outcome).resolves.toMatchObject({ recordings: 0 });
});
