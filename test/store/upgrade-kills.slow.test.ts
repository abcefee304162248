import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Config } from '../../src/config.ts';
import { pendingMigrations } from '../../src/platform/database/migrate.ts';
import { openDatabase } from '../../src/platform/database/open.ts';
import { databaseKinds } from '../support/steno.ts';
import { earlierVersions, expectUpgraded, openEarlier } from '../support/upgrades.ts';

const moduleOf = (path: string) =>
  JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../src', path)).href);

/** Migrates in a process of its own, which kills itself when the statements of the `count`th migration have run. */
function dieDuring(config: Config, count: number): Promise<NodeJS.Signals | null> {
  // Not `openDatabase`, with which the whole program would be loaded each time.
  const [module, open, given] = config.databaseUrl
    ? (['platform/database/postgres.ts', 'openPostgres', [config.databaseUrl, config.databasePool]] as const)
    : (['platform/database/sqlite.ts', 'openSqlite', [config.dataDir]] as const);
  const script = `
    const { ${open} } = await import(${moduleOf(module)});
    const { migrate } = await import(${moduleOf('platform/database/migrate.ts')});
    const database = await ${open}(...${JSON.stringify(given)});
    let ran = 0;
    const killing = (exec) => async (text) => {
      await exec(text);
      ran += 1;
      if (ran === ${count}) process.kill(process.pid, 'SIGKILL');
    };
    await migrate({ ...database, migrate: (work) => database.migrate((db, exec) => work(db, killing(exec))) }, Date.now);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' });
  return new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
}

async function look<T>(
  config: Config,
  work: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>,
) {
  const database = await openDatabase(config);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

describe.each(databaseKinds)('on %s', (kind) => {
  test('an upgrade that is killed in any of its migrations leaves the database as it was, and the next start does all of them', async () => {
    const { config, dispose, fixture } = await openEarlier(kind, earlierVersions[0] ?? '');
    onTestFinished(dispose);
    const applied = () =>
      look(config, async ({ db }) => {
        const { rows } = await sql`select name, applied_at from schema_migrations order by name`.execute(db);
        return rows;
      });
    const before = await applied();
    const pending = await look(config, pendingMigrations);
    expect(pending.length).toBeGreaterThan(20);
    for (let count = 1; count <= pending.length; count += 1) {
      expect([pending[count - 1], await dieDuring(config, count)]).toEqual([pending[count - 1], 'SIGKILL']);
      expect([pending[count - 1], await applied()]).toEqual([pending[count - 1], before]);
    }
    await expectUpgraded(config, fixture);
  });
});
