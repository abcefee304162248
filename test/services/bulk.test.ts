import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { createNotes } from '../../src/features/notes/operations.ts';
import { act } from '../support/act.ts';
import { at, userRow } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
beforeAll(async () => {
  steno = await openStore('sqlite');
});
afterAll(() => steno.close());
afterEach(() => vi.restoreAllMocks());

const drafts = ['one', 'two'].map((content) => ({ content, note_type: 'personal' as const }));

/** A person whose second row meets this fault. */
async function failing(cause: Error) {
  const user = userRow();
  await steno.store.users.insert(user);
  const newId = vi.fn(() => crypto.randomUUID());
  newId.mockReturnValueOnce(crypto.randomUUID()).mockImplementationOnce(() => {
    throw cause;
  });
  const listed = async () =>
    (await steno.store.notes.list(user.id, { limit: 10 })).map(({ content }) => content);
  const create = async () =>
    (await act(steno.database, createNotes, { userId: user.id, now: at(0), newId }, { rows: drafts })) as {
      status: number;
    }[];
  return { create, listed };
}

test('what the caller can change is the outcome of its row', async () => {
  const { create, listed } = await failing(new AppError('validation_error', 'content must be shorter.'));
  expect((await create()).map(({ status }) => status)).toEqual([201, 400]);
  expect(await listed()).toEqual(['one']);
});

test.each([
  ['a fault of ours', new AppError('internal_error', 'Something went wrong.'), 'internal_error'],
  [
    'a database that is away',
    new AppError('service_unavailable', 'Try again.', { retryAfterSeconds: 1 }),
    'service_unavailable',
  ],
])('%s fails the whole request, and nothing is stored', async (_, cause, code) => {
  const { create, listed } = await failing(cause);
  expect(await create()).toBe(code);
  expect(await listed()).toEqual([]);
});

test('anything else fails the whole request, and nothing is stored', async () => {
  const cause = new TypeError('undefined is not a function');
  const { create, listed } = await failing(cause);
  await expect(create()).rejects.toBe(cause);
  expect(await listed()).toEqual([]);
});
