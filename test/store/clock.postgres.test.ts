import { afterEach, test, vi } from 'vitest';
import { openStore } from '../support/store.ts';

afterEach(() => vi.restoreAllMocks());

test('a clock that is set while a server starts does not make it deaf', async () => {
  let now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => {
    now += 3_600_000;
    return now;
  });
  const steno = await openStore('postgres');
  await steno.close();
});
