import type { DatabaseSync } from 'node:sqlite';
import type { Checkup } from './database.ts';

const maxLines = 5;

export const firstColumn = (connection: DatabaseSync, sql: string): string[] =>
  connection
    .prepare(sql)
    .all()
    .map((row) => String(Object.values(row)[0]));

export function createSqliteCheckup(reader: DatabaseSync): Checkup {
  const column = (sql: string) => firstColumn(reader, sql);
  return {
    async findDamage() {
      const pages = column(`pragma quick_check(${maxLines})`).filter((line) => line !== 'ok');
      const orphans = column('select distinct "table" from pragma_foreign_key_check');
      return [...pages, ...orphans.map((table) => `rows of ${table} refer to rows that are gone`)];
    },
    async now() {
      return Date.now();
    },
    async bytes() {
      return Number(column('select page_count * page_size from pragma_page_count, pragma_page_size')[0]);
    },
  };
}
