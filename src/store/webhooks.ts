import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { AuditAct } from '../domain/audit.ts';
import {
  delivery,
  sendingWebhook,
  type Webhook,
  type WebhookChanges,
  type WebhookFilter,
  webhook,
  wholeServer,
} from '../domain/webhook.ts';
import type { WebhookStore } from '../ports/webhook-store.ts';
import { describeChanges, type Recorder, recorder, workspaceOf } from './audit.ts';
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
      const record = recorder();
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
        await recordAct(record, trx, 'webhook.created', draft, draft.events.join(' '));
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
      const record = recorder();
      return database.writeLocked(async (trx) => {
        const fresh = { pause_reason: null, failing_since: null, attempts: 0, next_attempt_at: now };
        const row = await trx
          .updateTable('webhooks')
          .set({ ...toRow(changes), ...fresh, updated_at: now })
          .where('id', '=', id)
          .where(reached(filter))
          .returning(shown)
          .executeTakeFirst();
        const detail = changesTold(changes);
        // Without a detail, the waiting events are only tried again.
        if (row && detail !== '') await recordAct(record, trx, 'webhook.changed', row, detail);
        return row && fromRow(row);
      });
    },

    remove(filter, id) {
      const record = recorder();
      return database.writeLocked(async (trx) => {
        const row = await trx
          .deleteFrom('webhooks')
          .where('id', '=', id)
          .where(reached(filter))
          .returning(shown)
          .executeTakeFirst();
        if (row) await recordAct(record, trx, 'webhook.removed', row);
        return row !== undefined;
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
      const record = recorder();
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
        if (!row) return undefined;
        await recordAct(record, trx, 'webhook.rotated', row);
        await completeKey?.(trx, id, { secret });
        return fromRow(row);
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

/** The path of an address may be a secret of its receiver, so the log has only its origin. */
const origin = (url: string) => new URL(url).origin;

const changesTold = ({ url, events, status }: WebhookChanges) =>
  describeChanges({
    ...(url !== undefined && { url: origin(url) }),
    ...(events && { events: events.join(' ') }),
    ...(status && { status }),
  });

async function recordAct(
  record: Recorder,
  trx: Db,
  act: Extract<AuditAct, `webhook.${string}`>,
  { id, url, workspace_id, space_id }: Pick<Webhook, 'id' | 'url' | 'workspace_id' | 'space_id'>,
  detail?: string,
): Promise<void> {
  await record(trx, {
    act,
    subject_id: id,
    subject_name: origin(url),
    workspace_id: workspace_id ?? (space_id && (await workspaceOf(trx, space_id))),
    ...(detail !== undefined && { detail }),
  });
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
