import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { delivery, sendingWebhook, type WebhookFilter, webhook, wholeServer } from '../domain/webhook.ts';
import type { WebhookStore } from '../ports/webhook-store.ts';
import type { Database, Db } from './database.ts';
import { keyCompletion } from './idempotency.ts';
import { reachableBy, requireOwner } from './owners.ts';
import { newestFirst } from './page.ts';
import { rowsOf } from './schema.ts';
import { createWebhookTurns, keepDeliveries } from './webhook-turns.ts';

const { columns: shown } = rowsOf(webhook);
const { columns: whole, toRow, fromRow } = rowsOf(sendingWebhook);
const { columns: deliveryColumns } = rowsOf(delivery);

export function createWebhookStore(database: Database): WebhookStore {
  const { db } = database;

  return {
    insert(draft, max) {
      const completeKey = keyCompletion();
      return database.write(async (trx) => {
        // A workspace that is gone fails by its foreign key.
        if (draft.workspace_id === null && draft.owner_id !== wholeServer)
          await requireOwner(database, trx, draft);
        const siblings = await trx
          .selectFrom('webhooks')
          .select('id')
          .where('owner_id', '=', draft.owner_id)
          .execute();
        if (siblings.length >= max) return 'limit reached';
        await trx
          .insertInto('webhooks')
          .values({ ...toRow(draft), ...database.changesEnd })
          .execute();
        await completeKey?.(trx, draft.id, { secret: draft.secret });
        return 'ok';
      });
    },

    async list(ownerId) {
      const rows = await db
        .selectFrom('webhooks')
        .select(shown)
        .where('owner_id', '=', ownerId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(fromRow);
    },

    async listAll() {
      const rows = await db
        .selectFrom('webhooks')
        .select([...shown, 'owner_id'])
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(fromRow);
    },

    async get(filter, id) {
      const row = await db
        .selectFrom('webhooks')
        .select(whole)
        .where('id', '=', id)
        .where(reached(filter))
        .executeTakeFirst();
      return row && fromRow(row);
    },

    update(filter, id, changes, now) {
      return database.writeLocked(async (trx) => {
        const fresh = { pause_reason: null, failing_since: null, attempts: 0, next_attempt_at: now };
        const row = await trx
          .updateTable('webhooks')
          .set({ ...toRow(changes), ...fresh, updated_at: now })
          .where('id', '=', id)
          .where(reached(filter))
          .returning(shown)
          .executeTakeFirst();
        return row && fromRow(row);
      });
    },

    remove(filter, id) {
      return database.writeLocked(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('webhooks')
          .where('id', '=', id)
          .where(reached(filter))
          .executeTakeFirst();
        return numDeletedRows > 0n;
      });
    },

    deliveries: (webhookId, page) =>
      newestFirst(selectDeliveries(db, webhookId), page, 'last_attempt_at').execute(),

    delivery: (webhookId, id) => selectDeliveries(db, webhookId).where('id', '=', id).executeTakeFirst(),

    async keepDelivery({ id, ...attempt }) {
      await database.writeLocked((trx) =>
        trx.updateTable('webhook_deliveries').set(attempt).where('id', '=', id).execute(),
      );
    },

    addDelivery(webhookId, delivery) {
      return database.writeLocked(async (trx) => {
        const found = database.locking(trx.selectFrom('webhooks').select('id').where('id', '=', webhookId));
        if (!(await found.executeTakeFirst())) return false;
        await keepDeliveries(trx, webhookId, [delivery]);
        return true;
      });
    },

    rotate(filter, id, { secret, until }, now) {
      const completeKey = keyCompletion();
      return database.writeLocked(async (trx) => {
        const row = await trx
          .updateTable('webhooks')
          .set(({ ref }) => ({
            old_secret: until === null ? null : ref('secret'),
            old_secret_until: until,
            secret,
            updated_at: now,
          }))
          .where('id', '=', id)
          .where(reached(filter))
          .returning(shown)
          .executeTakeFirst();
        if (row) await completeKey?.(trx, id, { secret });
        return row && fromRow(row);
      });
    },

    async removeDeliveries(olderThan) {
      await database.writeLocked((trx) =>
        trx.deleteFrom('webhook_deliveries').where('last_attempt_at', '<', olderThan).execute(),
      );
    },

    ...createWebhookTurns(database),
  };
}

function reached(filter: WebhookFilter): RawBuilder<SqlBool> {
  if (filter.kind !== 'session') return reachableBy(filter);
  const { userId, isOperator } = filter;
  return sql`(${reachableBy({ kind: 'member', userId })} or webhooks.workspace_id in (
    select admin.workspace_id from workspace_members as admin where admin.user_id = ${userId} and admin.role = 'admin'
  )${isOperator ? sql` or owner_id = ${wholeServer}` : sql``})`;
}

const selectDeliveries = (db: Db, webhookId: string) =>
  db.selectFrom('webhook_deliveries').select(deliveryColumns).where('webhook_id', '=', webhookId);
