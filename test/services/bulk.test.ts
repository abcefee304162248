import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { createBulk } from '../../src/services/bulk.ts';
import { principalOf } from '../support/principal.ts';
import { userRow } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
beforeAll(async () => {
  steno = await openStore('sqlite');
});
afterAll(() => steno.close());

const drafts = ['one', 'two'].map((content) => ({ content, note_type: 'personal' as const }));

/** A person whose second row meets this fault. */
async function failing(cause: Error) {
  const user = userRow();
  await steno.store.users.insert(user);
  const principal = principalOf(user.id);
  const notes: typeof steno.notes = {
    ...steno.notes,
    async prepare(caller, draft) {
      if (draft.content === 'two') throw cause;
      return steno.notes.prepare(caller, draft);
    },
  };
  const bulk = createBulk({ store: steno.store, notes });
  const listed = async () =>
    (await steno.notes.list(principal, { limit: 10 })).data.map(({ content }) => content);
  return { create: () => bulk.createNotes(principal, drafts), listed };
}

test('what the caller can change is the outcome of its row', async () => {
  const { create, listed } = await failing(new AppError('validation_error', 'content must be shorter.'));
  expect((await create()).map(({ status }) => status)).toEqual([201, 400]);
  expect(await listed()).toEqual(['one']);
});

test.each([
  ['a database that is away', new AppError('service_unavailable', 'Try again.', { retryAfterSeconds: 1 })],
  ['a fault of ours', new AppError('internal_error', 'Something went wrong.')],
  ['anything else', new TypeError('undefined is not a function')],
])('%s fails the whole request, and nothing is stored', async (_, cause) => {
  const { create, listed } = await failing(cause);
  await expect(create()).rejects.toBe(cause);
  expect(await listed()).toEqual([]);
});
