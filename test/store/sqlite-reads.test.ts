import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGroupedReads } from '../../src/platform/database/sqlite-reads.ts';

let connection: DatabaseSync;
let read: ReturnType<typeof createGroupedReads>;
beforeEach(() => {
  connection = new DatabaseSync(':memory:');
  connection.exec(
    "create table words (id integer, word text); insert into words values (1, 'one'), (2, 'two')",
  );
  read = createGroupedReads(connection);
});
afterEach(() => {
  if (connection.isOpen) connection.close();
});

const word = (id: number) => read('select word from words where id = ?', [id]);

test('reads that arrive together get each its own rows, as plain objects', async () => {
  expect(await Promise.all([word(2), word(1), word(3)])).toEqual([[{ word: 'two' }], [{ word: 'one' }], []]);
  expect(await word(1)).toEqual([{ word: 'one' }]);
});

test('one that fails fails alone', async () => {
  const outcomes = await Promise.allSettled([word(1), read('select nothing from nowhere', []), word(2)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(connection.isTransaction).toBe(false);
});

test('when a batch cannot begin its reads are told, and the next one works', async () => {
  connection.exec('begin');
  await expect(word(1)).rejects.toThrow('transaction');
  expect(await word(1)).toEqual([{ word: 'one' }]);
});

test('on a closed database every read is told so', async () => {
  connection.close();
  const outcomes = await Promise.allSettled([word(1), word(2)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
