import { afterEach, expect, test, vi } from 'vitest';
import { connect, kyselyOn } from '../../src/platform/database/sqlite-connection.ts';

afterEach(() => vi.restoreAllMocks());

test('a statement is prepared once, and of many different ones a bounded number is kept', async () => {
  const connection = connect(':memory:');
  const prepare = vi.spyOn(connection, 'prepare');
  const db = kyselyOn(connection);
  const ask = (column: number) => db.selectNoFrom(({ lit }) => lit(1).as(`c${column}`)).execute();
  for (const column of [0, 1, 0, 1]) await ask(column);
  expect(prepare).toHaveBeenCalledTimes(2);
  for (let column = 2; column < 500; column += 1) await ask(column);
  await ask(0);
  expect(prepare).toHaveBeenCalledTimes(500);
  // One too many: all are forgotten.
  await ask(500);
  await ask(0);
  expect(prepare).toHaveBeenCalledTimes(502);
  await db.destroy();
});
