import { type SqlBool, sql } from 'kysely';
import { countRows } from './count.ts';
import type { Database } from './database.ts';

/** What operators want to know of the whole installation, by SQL. */
export function createFigures({ db, checkup }: Database) {
  return {
    databaseBytes: () => checkup.bytes(),
    async audioBytes(): Promise<number> {
      const query = db
        .selectFrom('recordings')
        .select(({ fn }) => fn.sum<number | null>('bytes').as('bytes'))
        .where('has_audio', '=', 1);
      return (await query.executeTakeFirst())?.bytes ?? 0;
    },
    /** Notes that a search does not find yet, or finds by their old words. */
    unindexedNotes: () => countRows(db.selectFrom('search_pending')),
    isIndexed: async () =>
      (await db.selectFrom('search_pending').select('seq').limit(1).executeTakeFirst()) === undefined,
    /** When the note that has waited longest for the index was written; null if none waits. */
    async unindexedSince(): Promise<string | null> {
      const query = db
        .selectFrom('notes')
        .select('updated_at')
        .where('seq', '=', ({ selectFrom }) =>
          selectFrom('search_pending').select(({ fn }) => fn.min('seq').as('seq')),
        );
      return (await query.executeTakeFirst())?.updated_at ?? null;
    },
    /** Without files and texts that no server can read: their owners were told. */
    failedSince: (table: 'recordings' | 'language_jobs', since: string) =>
      countRows(
        db
          .selectFrom(table)
          .where('state', '=', 'failed')
          .where('updated_at', '>', since)
          .where(sql<SqlBool>`coalesce(error_code, '') not in ('validation_error', 'payload_too_large')`),
      ),
    async webhooks(): Promise<Record<'active' | 'failing' | 'paused', number>> {
      const { rows } = await sql<{ state: 'active' | 'failing' | 'paused'; count: number }>`
        select case when status = 'active' and failing_since is not null then 'failing' else status end as state,
          count(*) as count from webhooks group by 1`.execute(db);
      const found = Object.fromEntries(rows.map(({ state, count }) => [state, count]));
      return { active: 0, failing: 0, paused: 0, ...found };
    },
  };
}
