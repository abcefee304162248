import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { OwnerFilter } from '../../domain/owner.ts';
import type { PageQuery } from '../../domain/page.ts';
import {
  type Delivery,
  delivery,
  type SendingWebhook,
  sendingWebhook,
  type Webhook,
  type WebhookChanges,
  type WebhookMaker,
  webhook,
  wholeServer,
} from '../../domain/webhook.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import type { Database, Db, Tx } from '../../platform/database/database.ts';
import { reachableBy } from '../../platform/database/owners.ts';
import { newestFirst } from '../../platform/database/page.ts';
import { rowsOf } from '../../platform/database/schema.ts';

const { columns: shown } = rowsOf(webhook);
const rows = rowsOf(sendingWebhook);
const { columns: deliveryColumns } = rowsOf(delivery);

/** Whose webhooks a call by id may reach. A session also reaches the webhooks of audit logs that the person may read. */
export type WebhookReach =
  | OwnerFilter
  | { readonly kind: 'session'; readonly userId: string; readonly isOperator: boolean }
  | { readonly kind: 'operator' };

function reached(by: WebhookReach): RawBuilder<SqlBool> {
  if (by.kind === 'operator') return sql`1 = 1`;
  if (by.kind !== 'session') return reachableBy(by);
  const { userId, isOperator } = by;
  return sql`(${reachableBy({ kind: 'member', userId })} or webhooks.workspace_id in (
    select admin.workspace_id from workspace_members as admin where admin.user_id = ${userId} and admin.role = 'admin'
  )${isOperator ? sql` or owner_id = ${wholeServer}` : sql``})`;
}

export const find = (db: Db, by: WebhookReach, id: string): Promise<SendingWebhook | undefined> =>
  rows.first(db.selectFrom('webhooks').select(rows.columns).where('id', '=', id).where(reached(by)));

const oldestFirst = (db: Db) => db.selectFrom('webhooks').orderBy('created_at').orderBy('id');

export const ofOwner = (db: Db, ownerId: string): Promise<Webhook[]> =>
  rows.all(oldestFirst(db).select(shown).where('owner_id', '=', ownerId));

/** The webhooks of all people and spaces, for the operator. */
export const all = (db: Db): Promise<(Webhook & { owner_id: string })[]> =>
  rows.all(oldestFirst(db).select([...shown, 'owner_id']));

export type NewWebhook = Webhook & WebhookMaker & Pick<SendingWebhook, 'owner_id' | 'secret'>;

/** It gets the changes from now on. */
export const insert = (database: Database, tx: Tx, made: NewWebhook) =>
  tx
    .insertInto('webhooks')
    .values({ ...rows.toRow(made), ...database.changesEnd })
    .execute();

/** Also forgets its failures, so that what waits is sent at once. Undefined if it is gone by now. */
export function update(
  tx: Tx,
  { id }: Authorized<SendingWebhook>,
  changes: WebhookChanges & Partial<WebhookMaker>,
  now: string,
): Promise<Webhook | undefined> {
  const fresh = { pause_reason: null, failing_since: null, attempts: 0, next_attempt_at: now };
  const changed = { ...rows.toRow(changes), ...fresh, updated_at: now };
  return rows.first(tx.updateTable('webhooks').set(changed).where('id', '=', id).returning(shown));
}

/** `until`: how long the secret that it had signs as well; null for not at all. */
export const rotate = (
  tx: Tx,
  { id }: Authorized<SendingWebhook>,
  { secret, until }: { secret: string; until: string | null },
  now: string,
): Promise<Webhook | undefined> =>
  rows.first(
    tx
      .updateTable('webhooks')
      .set(({ ref }) => ({
        old_secret: until === null ? null : ref('secret'),
        old_secret_until: until,
        secret,
        updated_at: now,
      }))
      .where('id', '=', id)
      .returning(shown),
  );

export const remove = (tx: Tx, { id }: Authorized<SendingWebhook>) =>
  tx.deleteFrom('webhooks').where('id', '=', id).returning('id').executeTakeFirst();

const deliveriesTo = (db: Db, { id }: Authorized<SendingWebhook>) =>
  db.selectFrom('webhook_deliveries').select(deliveryColumns).where('webhook_id', '=', id);

/** The last attempted first. */
export const deliveries = (db: Db, to: Authorized<SendingWebhook>, page: PageQuery): Promise<Delivery[]> =>
  newestFirst(deliveriesTo(db, to), page, 'last_attempt_at').execute();

export const findDelivery = (db: Db, to: Authorized<SendingWebhook>, id: string) =>
  deliveriesTo(db, to).where('id', '=', id).executeTakeFirst();

/** Stores the result of one more attempt, and nothing else. */
export const updateDelivery = (tx: Tx, { id, ...attempt }: Delivery) =>
  tx.updateTable('webhook_deliveries').set(attempt).where('id', '=', id).execute();

export const removeDeliveries = (tx: Tx, olderThan: string) =>
  tx.deleteFrom('webhook_deliveries').where('last_attempt_at', '<', olderThan).execute();
