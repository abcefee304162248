import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import pg from 'pg';
import { AppError } from '../domain/errors.ts';
import { type Backups, writeBackupFile } from './backup-file.ts';
import { pendingOf, readMigrations } from './migrate.ts';
import { listenerPrefix } from './postgres-principals.ts';
import { postgresTools } from './postgres-tools.ts';
import { explainPostgres } from './unusable.ts';

const asidePrefix = 'before_restore_';

/** PostgreSQL's own tools do the work: pg_dump reads one snapshot while servers write. */
export function postgresBackups(databaseUrl: string): Backups {
  const tools = postgresTools(databaseUrl);

  return {
    backup(target, options) {
      return writeBackupFile(target, options, async (part) => {
        await tools.requireFor('pg_dump', await connected(databaseUrl, serverMajor));
        await tools.run('pg_dump', [
          '--format=custom',
          '--no-owner',
          '--no-privileges',
          `--exclude-schema=${asidePrefix}*`,
          `--file=${part}`,
          tools.connection,
        ]);
        await checkArchive(part);
      });
    },

    async restore(file, { replace, at }) {
      const source = resolve(file);
      if (!existsSync(source)) throw new AppError('not_found', `There is no file ${source}; check its name.`);
      await tools.run('pg_restore', ['--version']);
      await checkArchive(source);
      const aside = asidePrefix + at.toISOString().replaceAll(/\D/g, '');
      const hadData = await connected(databaseUrl, async (client) => {
        await refuseWhileServed(client);
        const { rowCount } = await client.query(
          "select 1 from pg_tables where schemaname = 'public' limit 1",
        );
        if (rowCount && !replace)
          throw new AppError(
            'conflict',
            'There is data in this database. Add --yes to replace it with the backup; the old data is kept.',
          );
        await client.query(`begin; alter schema public rename to ${aside}; create schema public; commit`);
        return Boolean(rowCount);
      });
      const putBack = `begin; drop schema public cascade; alter schema ${aside} rename to public; commit`;
      try {
        await tools.run('pg_restore', [
          '--single-transaction',
          '--exit-on-error',
          '--no-owner',
          '--no-privileges',
          tools.connection,
          source,
        ]);
      } catch (cause) {
        await connected(databaseUrl, (client) => client.query(putBack));
        throw cause;
      }
      if (hadData) return { keptAside: `schema ${aside}` };
      await connected(databaseUrl, (client) => client.query(`drop schema ${aside} cascade`));
      return { keptAside: null };
    },
  };

  /** The list of migrations in the archive shows whether it is ours, and whether this version knows it. */
  async function checkArchive(file: string): Promise<void> {
    const text = await tools
      .run('pg_restore', ['--data-only', '--table=schema_migrations', '--file=-', file])
      .catch((cause: unknown) => {
        if (cause instanceof AppError) throw cause;
        throw notABackup(file, cause);
      });
    const rows = /^COPY public\.schema_migrations \(name, checksum, .*\n([\s\S]*?)^\\\.$/m.exec(text)?.[1];
    if (rows === undefined) throw notABackup(file);
    const applied = rows.split('\n').flatMap((line) => {
      const [name, checksum] = line.split('\t');
      return name && checksum ? [{ name, checksum }] : [];
    });
    applied.sort((one, other) => (one.name < other.name ? -1 : 1));
    pendingOf(applied, readMigrations('postgres'));
  }
}

const notABackup = (file: string, cause?: unknown) =>
  new AppError(
    'validation_error',
    `${file} is not a backup of Steno; give a file that "steno backup" wrote from PostgreSQL.`,
    {
      cause,
    },
  );

async function serverMajor(client: pg.Client): Promise<number> {
  const { rows } = await client.query('show server_version_num');
  return Math.floor(Number(rows[0]?.server_version_num) / 10_000);
}

async function refuseWhileServed(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(
    'select 1 from pg_stat_activity where datname = current_database() and starts_with(application_name, $1) limit 1',
    [listenerPrefix],
  );
  if (rowCount)
    throw new AppError('conflict', 'A Steno server is using this database; stop all servers first.');
}

async function connected<Result>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect().catch((cause: unknown) => {
      throw explainPostgres(cause, databaseUrl);
    });
    return await work(client);
  } finally {
    // The work is over, and a connection that broke is closed already.
    await client.end().catch(() => {});
  }
}
