import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { indexAndTell } from '../../src/platform/indexing.ts';
import { capturedLog } from '../support/log.ts';
import { createFakeSpeech } from '../support/speech.ts';
import { databaseKinds, startSteno } from '../support/steno.ts';

test('the progress of indexing is told until it ends', async () => {
  const { log, lines } = capturedLog();
  const ended = Promise.withResolvers<void>();
  let left = 3;
  const indexing = indexAndTell({ count: async () => left, index: () => ended.promise, log, everyMs: 1 });
  await expect.poll(() => lines().length).toBeGreaterThan(1);
  left = 1;
  await expect.poll(() => lines().at(-1)).toMatchObject({ notes: 3, left: 1 });
  ended.resolve();
  await indexing;
  const told = lines().map(({ msg }) => msg);
  expect(told[0]).toMatch(/^Indexing notes for search/);
  expect(told[1]).toBe('Still indexing notes for search');
  expect(told.at(-1)).toBe('All notes are indexed for search');
  const count = lines().length;
  await indexAndTell({ count: async () => 0, index: async () => {}, log, everyMs: 1 });
  expect(lines()).toHaveLength(count);
});

test('indexing that fails is told with its cause', async () => {
  const { log, lines } = capturedLog();
  const index = () => Promise.reject(new Error('no disk'));
  await indexAndTell({ count: async () => 1, index, log });
  expect(lines().at(-1)).toMatchObject({ level: 50, fault: { message: 'no disk' } });
});

test.each(databaseKinds)(
  'a start with another analyser tells that it indexes all notes again, on %s',
  async (kind) => {
    const steno = await startSteno({ databaseKind: kind });
    const { key } = await steno.person();
    for (const content of ['one', 'two'])
      await steno.call('POST', '/notes/create', { key, body: { content } });
    await steno.database.write((db) => sql`update search_entries set analyser = 0`.execute(db));
    await steno.database.write((db) =>
      db.deleteFrom('installation').where('name', '=', 'search_analyser').execute(),
    );
    const { log, lines } = capturedLog();
    const again = await compose(steno.config, { log, ...createFakeSpeech() });
    await expect.poll(() => lines().map(({ msg }) => msg)).toContain('All notes are indexed for search');
    expect(lines()).toContainEqual(
      expect.objectContaining({ notes: 2, msg: expect.stringMatching(/^Indexing/) }),
    );
    await again.close();
    await steno.close();
  },
);
