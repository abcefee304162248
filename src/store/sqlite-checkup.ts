import type { DatabaseSync } from 'node:sqlite';
import type { Checkup } from './database.ts';

const maxLines = 5;

export const firstColumn = (connection: DatabaseSync, sql: string): string[] =>
  connection
    .prepare(sql)
    .all()
    .map((row) => String(Object.values(row)[0]));

/** FTS5 has no key that Kysely could name, so these are plain SQL like the search itself. */
export function createSqliteCheckup(reader: DatabaseSync): Checkup {
  const column = (sql: string) => firstColumn(reader, sql);
  return {
    async findDamage() {
      const pages = column(`pragma quick_check(${maxLines})`).filter((line) => line !== 'ok');
      const orphans = column('select distinct "table" from pragma_foreign_key_check');
      return [...pages, ...orphans.map((table) => `rows of ${table} refer to rows that are gone`)];
    },
    async countSearchGaps() {
      const [gaps] = column(
        `select (select count(*) from notes
                 where deleted_at is null and seq not in (select rowid from note_search))
              + (select count(*) from note_search
                 where rowid not in (select seq from notes where deleted_at is null))`,
      );
      return Number(gaps);
    },
    async now() {
      return Date.now();
    },
  };
}
