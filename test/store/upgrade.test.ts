import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/platform/database/open.ts';
import { composeServices } from '../../src/services.ts';
import { runSteno } from '../support/process.ts';
import { databaseKinds, emptyDatabase } from '../support/steno.ts';
import { earlierVersions, expectUpgraded, openEarlier } from '../support/upgrades.ts';

const [oldest = '', ...later] = earlierVersions;

test('databases of three earlier versions are kept', () => {
  expect(earlierVersions.length).toBeGreaterThanOrEqual(3);
});

describe.each(databaseKinds)('an upgrade on %s', (kind) => {
  async function upgrade(version: string): Promise<void> {
    const { config, dispose, fixture } = await openEarlier(kind, version);
    onTestFinished(dispose);
    expect(fixture.told.length).toBeGreaterThan(40);
    await expectUpgraded(config, fixture);
  }

  test(`of a database of ${oldest} keeps every record, key and session, and every note is found`, () =>
    upgrade(oldest));

  test.each(later)('so does one of a database of %s', { tags: 'slow' }, upgrade);

  test('is not undone: an older Steno refuses in a sentence, and changes nothing', async () => {
    const { config, dispose } = await emptyDatabase(kind);
    onTestFinished(dispose);
    await (await composeServices(config)).close();
    const migrations = async (change = sql`select 1`) => {
      const database = await openDatabase(config);
      await change.execute(database.db);
      const { rows } = await sql`select * from schema_migrations order by name`.execute(database.db);
      await database.close();
      return rows;
    };
    // As a later version leaves it: with a migration that this one does not know.
    const after = await migrations(sql`insert into schema_migrations values ('9999_later', 'x', 'x')`);
    const ended = await runSteno(['serve'], {
      STENO_DATA_DIR: config.dataDir,
      STENO_DATABASE_URL: config.databaseUrl,
      STENO_ENGINE: 'fake',
      STENO_PORT: '0',
    });
    expect([ended.code, ended.stdout + ended.stderr]).toEqual([
      3,
      expect.stringMatching(/newer than this Steno: it has migration 9999_later\. Use the newer version/),
    ]);
    expect(await migrations()).toEqual(after);
  });
});
