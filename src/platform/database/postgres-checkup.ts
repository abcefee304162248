import { sql } from 'kysely';
import type { Checkup, Db } from './database.ts';

/** PostgreSQL checks its pages itself when it reads them, so there is no damage for us to look for. */
export function createPostgresCheckup(db: Db): Checkup {
  return {
    async findDamage() {
      return [];
    },
    async now() {
      const { rows } = await sql<{ now: string }>`
        select extract(epoch from clock_timestamp()) * 1000 as now`.execute(db);
      return Number(rows[0]?.now);
    },
    async bytes() {
      const { rows } = await sql<{ bytes: number }>`
        select pg_database_size(current_database()) as bytes`.execute(db);
      return Number(rows[0]?.bytes);
    },
  };
}
