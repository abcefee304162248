import { sql } from 'kysely';
import type { ChangeStore } from '../ports/note-store.ts';
import type { Database, Db } from './database.ts';

const timelineName = 'changes_timeline';

/** Triggers write the changes (migrations/0092), so here they are only read. */
export function createChangeStore(database: Database, newId: () => string): ChangeStore {
  const { nextTransaction } = database;

  return {
    read: (ownerId, after, limit) =>
      selectChanges(database, ownerId)
        .where(sql<boolean>`(tx, seq) > (${after.tx}, ${after.seq})`)
        .orderBy('tx')
        .orderBy('seq')
        .limit(limit)
        .execute(),

    async last(ownerId) {
      const row = await selectChanges(database, ownerId)
        .orderBy('tx', 'desc')
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ? { tx: row.tx, seq: row.seq } : { tx: 0, seq: 0 };
    },

    async startOver({ always }) {
      await database.write(async (trx) => {
        const ahead = await trx
          .selectFrom('changes')
          .select('seq')
          .where('tx', '>=', nextTransaction)
          .limit(1)
          .executeTakeFirst();
        if (ahead || always) await beginTimeline(trx, newId());
      });
    },
  };

  async function beginTimeline(trx: Db, value: string): Promise<void> {
    await trx.updateTable('changes').set({ tx: 0 }).where('tx', '!=', 0).execute();
    await trx
      .insertInto('installation')
      .values({ name: timelineName, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
  }
}

/** Only what was written by transactions that are over, and before every one that still runs. */
const selectChanges = ({ db, changesHorizon }: Database, ownerId: string) =>
  db
    .selectFrom('changes')
    .select(['tx', 'seq', 'type', 'id', 'action', 'at'])
    .where('owner_id', '=', ownerId)
    .where('tx', '<', changesHorizon);
