import { sql } from 'kysely';
import type { Checkup, Db } from './database.ts';

/** PostgreSQL checks its pages itself when it reads them, so there is no damage for us to look for. */
export function createPostgresCheckup(db: Db): Checkup {
  return {
    async findDamage() {
      return [];
    },
    async countSearchGaps() {
      const { rows } = await sql<{ gaps: number }>`
        select count(*) as gaps from (select seq from notes where deleted_at is null) as live
        full join note_search using (seq) where live.seq is null or note_search.seq is null`.execute(db);
      return rows[0]?.gaps ?? 0;
    },
    async now() {
      const { rows } = await sql<{ now: string }>`
        select extract(epoch from clock_timestamp()) * 1000 as now`.execute(db);
      return Number(rows[0]?.now);
    },
  };
}
