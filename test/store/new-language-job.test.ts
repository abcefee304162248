import { afterAll, beforeAll, expect, test } from 'vitest';
import { page, queueChosenActions } from '../../src/features/language/jobs.ts';
import { changeSettings, insertAction } from '../../src/features/language/queries.ts';
import type { LanguageSettings } from '../../src/features/language/schema.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { at, insertNote, insertPerson, insertTeam } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
let store: TestStore['store'];
beforeAll(async () => {
  steno = await openStore('sqlite');
  ({ store } = steno);
});
afterAll(() => steno.close());

const setSettings = (userId: string, changes: Partial<LanguageSettings>) =>
  steno.database.write((tx) => changeSettings(tx, userId, changes));

/** As the end of a recording does it. Returns the names of what waits. */
async function afterRecording(
  userId: string,
  given: { folderId?: string; givenTitle?: string | null | undefined } = {},
) {
  const { row } = await insertNote(store, userId);
  const { folderId = null, givenTitle } = 'givenTitle' in given ? given : { ...given, givenTitle: null };
  await steno.database.write((trx) =>
    queueChosenActions(trx, { userId, noteId: row.id, folderId, givenTitle }, at(0)),
  );
  const asker = { userId, workspaceId: null, notes: { kind: 'owner', ownerId: userId } } as const;
  const jobs = await page(steno.database.db, asker, { limit: 9 }, row.id);
  expect(jobs.every(({ automatic, state }) => automatic && state === 'queued')).toBe(true);
  return jobs.map(({ action_name }) => action_name).sort();
}

test('what a person chose is queued, and a title unless somebody typed one', async () => {
  const { id } = await insertPerson(store);
  const own = {
    id: newUuid(),
    user_id: id,
    workspace_id: null,
    name: 'Own',
    description: null,
    prompt: 'Write.',
    sections: null,
    output: 'replace' as const,
    language: null,
    created_at: at(0),
    updated_at: at(0),
  };
  await steno.database.write((tx) => insertAction(tx, own));
  expect(await afterRecording(id)).toEqual(['Title']);
  expect(await afterRecording(id, { givenTitle: undefined })).toEqual([]);
  const folders = [{ folder_id: newUuid(), actions: ['minutes'] }];
  await setSettings(id, { actions: ['summary', own.id, newUuid()], folders });
  expect(await afterRecording(id, { givenTitle: 'First words' })).toEqual(['Own', 'Summary', 'Title']);
  expect(await afterRecording(id, { folderId: folders[0]?.folder_id ?? '' })).toEqual(['Minutes', 'Title']);
  await setSettings(id, { titles: false });
  expect(await afterRecording(id)).toEqual(['Own', 'Summary']);
  const rows = steno.database.db
    .selectFrom('language_jobs')
    .select('given_title')
    .where('action_id', '=', 'title');
  expect((await rows.execute()).map(({ given_title }) => given_title)).toContain('First words');
});

test('nothing is queued for who does not want it, or whose workspace forbids it', async () => {
  const [ada, eve, ours] = [await insertPerson(store), await insertPerson(store), await insertTeam(store)];
  await setSettings(ada.id, { allowed: false });
  expect(await afterRecording(ada.id)).toEqual([]);
  await store.members.add(ours.id, { user_id: eve.id, role: 'member', managed: true, created_at: at(0) });
  expect(await afterRecording(eve.id)).toEqual(['Title']);
  await store.policies.update(ours.id, { block_language_models: true });
  expect(await afterRecording(eve.id)).toEqual([]);
});
