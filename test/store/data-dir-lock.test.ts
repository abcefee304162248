import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Config } from '../../src/config.ts';
import { lockDataDir } from '../../src/platform/database/data-dir-lock.ts';
import { holdLock } from '../support/lock-holder.ts';
import { emptyDatabase } from '../support/steno.ts';

let config: Config;
let dispose: () => Promise<void>;
beforeEach(async () => {
  ({ config, dispose } = await emptyDatabase('sqlite'));
});
afterEach(() => dispose());

test('the lock excludes another holder until it is released', () => {
  const first = lockDataDir(config.dataDir);
  expect(() => lockDataDir(config.dataDir)).toThrow(/Another Steno server/);
  first.release();
  lockDataDir(config.dataDir).release();
});

test('a process that is killed with the lock leaves it free', async () => {
  const holder = await holdLock(
    join(config.dataDir, 'server.lock'),
    'pragma journal_mode = memory; begin exclusive',
  );
  expect(() => lockDataDir(config.dataDir)).toThrow(/Another Steno server/);
  await holder.kill();
  lockDataDir(config.dataDir).release();
});
