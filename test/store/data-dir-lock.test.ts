import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Config } from '../../src/config.ts';
import { lockDataDir } from '../../src/store/data-dir-lock.ts';
import { openInProcess } from '../support/beside.ts';
import { holdLock } from '../support/lock-holder.ts';
import { runSteno, startServer } from '../support/process.ts';
import { emptyDatabase } from '../support/steno.ts';

let config: Config;
let dispose: () => Promise<void>;
beforeEach(async () => {
  ({ config, dispose } = await emptyDatabase('sqlite'));
});
afterEach(() => dispose());

test('a second server on one data folder is refused with what to do; the command line still works beside it', async () => {
  const server = await startServer({ dataDir: config.dataDir });
  const second = await runSteno(['serve'], { STENO_DATA_DIR: config.dataDir, STENO_PORT: '0' });
  expect(second.code).toBe(3);
  expect(second.stderr).toBe(
    `Another Steno server is using ${config.dataDir}; stop it, or set STENO_DATA_DIR to another folder.\n`,
  );
  expect(await openInProcess(config)).toEqual({ code: 0, stderr: '' });
  await server.stop();
});

test('the folder is free again after kill -9 of the server', async () => {
  const killed = await startServer({ dataDir: config.dataDir });
  await killed.kill();
  const next = await startServer({ dataDir: config.dataDir });
  expect(await openInProcess(config)).toEqual({ code: 0, stderr: '' });
  await next.stop();
});

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
