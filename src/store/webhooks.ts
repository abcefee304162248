import { type Delivery, delivery, sendingWebhook, webhook } from '../domain/webhook.ts';
import type { WebhookStore } from '../ports/webhook-store.ts';
import { behind, readChanges } from './changes.ts';
import type { Database, Db } from './database.ts';
import { keyCompletion } from './idempotency.ts';
import { reachableBy, requireOwner } from './owners.ts';
import { rowsOf } from './schema.ts';

const { columns: shown, toRow, fromRow } = rowsOf(webhook);
const { columns: whole } = rowsOf(sendingWebhook);
const { columns: deliveryColumns } = rowsOf(delivery);

export function createWebhookStore(database: Database): WebhookStore {
  const { db, processId } = database;

  return {
    insert(draft, max) {
      const completeKey = keyCompletion();
      return database.write(async (trx) => {
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
        .where(reachableBy(filter))
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
          .where(reachableBy(filter))
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
          .where(reachableBy(filter))
          .executeTakeFirst();
        return numDeletedRows > 0n;
      });
    },

    deliveries: (webhookId, limit) =>
      selectDeliveries(db, webhookId)
        .orderBy('last_attempt_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),

    delivery: (webhookId, id) => selectDeliveries(db, webhookId).where('id', '=', id).executeTakeFirst(),

    async keepDelivery({ id, ...attempt }) {
      await database.writeLocked((trx) =>
        trx.updateTable('webhook_deliveries').set(attempt).where('id', '=', id).execute(),
      );
    },

    async removeDeliveries(olderThan) {
      await database.writeLocked((trx) =>
        trx.deleteFrom('webhook_deliveries').where('last_attempt_at', '<', olderThan).execute(),
      );
    },

    async takeDue(now, limit) {
      const due = await db
        .selectFrom('webhooks')
        .select(['id', 'holder'])
        .where('status', '=', 'active')
        .where('next_attempt_at', '<=', now)
        .where(({ exists, selectFrom, ref }) =>
          exists(
            selectFrom('changes')
              .select('changes.seq')
              .whereRef('changes.owner_id', '=', 'webhooks.owner_id')
              .where('changes.tx', '<', database.changesHorizon)
              .where(behind({ tx: ref('webhooks.tx'), seq: ref('webhooks.seq') })),
          ),
        )
        .orderBy('next_attempt_at')
        .limit(limit)
        .execute();
      const takeable = due.filter(({ holder }) => holder !== processId);
      if (takeable.length > 0) await take(takeable);
      if (due.length === 0) return [];
      const rows = await db
        .selectFrom('webhooks')
        .select(whole)
        .where(
          'id',
          'in',
          due.map(({ id }) => id),
        )
        .where('holder', '=', processId)
        .execute();
      return rows.map(fromRow);
    },

    waiting: (webhook, limit) => readChanges(database, webhook.owner_id, webhook, limit),

    advance(id, upTo, deliveries) {
      return database.writeLocked(async (trx) => {
        const row = await trx
          .updateTable('webhooks')
          .set({ ...upTo, attempts: 0, failing_since: null })
          .where('id', '=', id)
          .where('holder', '=', processId)
          .returning(whole)
          .executeTakeFirst();
        if (!row) return undefined;
        await keepDeliveries(trx, id, deliveries);
        return row.status === 'active' ? fromRow(row) : undefined;
      });
    },

    async postpone({ id, updated_at }, failure, delivery) {
      await database.writeLocked(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('webhooks')
          .set(failure)
          .where('id', '=', id)
          .where('holder', '=', processId)
          .where('updated_at', '=', updated_at)
          .executeTakeFirst();
        if (numUpdatedRows > 0n) await keepDeliveries(trx, id, [delivery]);
      });
    },

    async leaveAll() {
      await database.writeLocked((trx) =>
        trx.updateTable('webhooks').set({ holder: null }).where('holder', '=', processId).execute(),
      );
    },
  };

  /** Claims the webhooks that no server holds, or only a server that is gone. */
  async function take(webhooks: { id: string; holder: string | null }[]): Promise<void> {
    await database.writeLocked(async (trx) => {
      const gone = new Map<string | null, boolean>([[null, true]]);
      for (const { holder } of webhooks)
        if (holder !== null && !gone.has(holder)) gone.set(holder, !(await database.isServing(trx, holder)));
      for (const { id, holder } of webhooks)
        if (gone.get(holder))
          await trx
            .updateTable('webhooks')
            .set({ holder: processId })
            .where('id', '=', id)
            .where('holder', holder === null ? 'is' : '=', holder)
            .execute();
    });
  }
}

const selectDeliveries = (db: Db, webhookId: string) =>
  db.selectFrom('webhook_deliveries').select(deliveryColumns).where('webhook_id', '=', webhookId);

async function keepDeliveries(trx: Db, webhook_id: string, deliveries: Delivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  await trx
    .insertInto('webhook_deliveries')
    .values(deliveries.map((delivery) => ({ ...delivery, webhook_id })))
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) => ({
        attempts: ref('excluded.attempts'),
        delivered_at: ref('excluded.delivered_at'),
        last_attempt_at: ref('excluded.last_attempt_at'),
        response_status: ref('excluded.response_status'),
        error: ref('excluded.error'),
      })),
    )
    .execute();
}
