import { type SqlBool, sql } from 'kysely';
import { conversation, maxConversations, turn } from '../domain/ask.ts';
import { notFound } from '../domain/errors.ts';
import type { OwnerFilter } from '../domain/owner.ts';
import { isShared } from '../features/spaces/queries.ts';
import type { ConversationStore } from '../ports/conversation-store.ts';
import type { Database, Db } from './database.ts';
import { newestFirst } from './page.ts';
import { rowsOf } from './schema.ts';

const { columns } = rowsOf(conversation);
const turns = rowsOf(turn);

export function createConversationStore(database: Database): ConversationStore {
  const conversationsOf = (userId: string, db: Db = database.db) =>
    db.selectFrom('conversations').where('user_id', '=', userId);

  const reached = (reach: OwnerFilter) => {
    switch (reach.kind) {
      case 'owner':
        return conversationsOf(reach.ownerId).where('space_id', 'is', null);
      case 'member':
        return conversationsOf(reach.userId).where(
          sql<SqlBool>`(space_id is null or space_id in (select spaces.id from spaces
            join workspace_members as member on member.workspace_id = spaces.workspace_id
            where member.user_id = ${reach.userId} and spaces.archived_at is null))`,
        );
      case 'any space of':
        return conversationsOf('').where(sql<SqlBool>`false`);
    }
  };

  return {
    list: (reach, page) => newestFirst(reached(reach).select(columns), page).execute(),

    async get(reach, id) {
      const found = await reached(reach).select(columns).where('id', '=', id).executeTakeFirst();
      if (!found) return undefined;
      const rows = await database.db
        .selectFrom('conversation_turns')
        .select(turns.columns)
        .where('conversation_id', '=', id)
        .orderBy('number')
        .execute();
      return { ...found, turns: rows.map(turns.fromRow) };
    },

    add(userId, { isNew, ...row }, added) {
      return database.write(async (trx) => {
        if (!(await database.holdAccount(trx, userId))) return false;
        // Asked again inside this write: the person may have left while the model answered.
        if (row.space_id !== null && !(await isShared(trx, userId, row.space_id))) throw notFound('Space');
        if (isNew) {
          const most = conversationsOf(userId, trx)
            .select('id')
            .orderBy('created_at', 'desc')
            .orderBy('id', 'desc');
          const tooOld = await most
            .offset(maxConversations - 1)
            .limit(maxConversations)
            .execute();
          if (tooOld.length > 0)
            await trx
              .deleteFrom('conversations')
              .where(
                'id',
                'in',
                tooOld.map(({ id }) => id),
              )
              .execute();
          await trx
            .insertInto('conversations')
            .values({ ...row, user_id: userId })
            .execute();
        } else {
          const { numUpdatedRows } = await trx
            .updateTable('conversations')
            .set({ updated_at: row.updated_at })
            .where('user_id', '=', userId)
            .where('id', '=', row.id)
            .executeTakeFirst();
          if (numUpdatedRows === 0n) return false;
        }
        const { last } = await trx
          .selectFrom('conversation_turns')
          .select(({ fn }) => fn.max('number').as('last'))
          .where('conversation_id', '=', row.id)
          .executeTakeFirstOrThrow();
        await trx
          .insertInto('conversation_turns')
          .values({ ...turns.toRow(added), conversation_id: row.id, number: Number(last ?? 0) + 1 })
          .execute();
        return true;
      });
    },

    async remove(reach, id) {
      const found = await reached(reach).select('id').where('id', '=', id).executeTakeFirst();
      if (!found) return false;
      return database.write(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('conversations')
          .where('id', '=', id)
          .executeTakeFirst();
        return numDeletedRows > 0n;
      });
    },
  };
}
