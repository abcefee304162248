import { type SqlBool, sql } from 'kysely';
import { type AuditEvent, auditEvent } from '../../domain/audit.ts';
import type { ChangePosition, LoggedChange } from '../../domain/change.ts';
import {
  type Delivery,
  type SendingWebhook,
  sendingWebhook,
  type Webhook,
  wholeServer,
} from '../../domain/webhook.ts';
import { readChanges } from '../../features/changes/queries.ts';
import type { Database, Db } from '../../platform/database/database.ts';
import { rowsOf } from '../../platform/database/schema.ts';

const { columns: whole, fromRow } = rowsOf(sendingWebhook);
const { columns: auditColumns } = rowsOf(auditEvent);

/** What this server may take on. */
interface Places {
  free: number;
  perAccount: number;
  /** Being delivered now; not taken again. */
  inFlight: readonly Pick<SendingWebhook, 'id' | 'account_id'>[];
}

type Failure = Pick<Webhook, 'status' | 'pause_reason' | 'failing_since' | 'attempts' | 'next_attempt_at'>;

export type WebhookTurns = ReturnType<typeof createWebhookTurns>;

/** What the sender needs: whose turn it is, what waits, and how it went. One server at a time holds a webhook. */
export function createWebhookTurns(database: Database) {
  const { db, processId } = database;

  return {
    /**
     * Pauses webhooks whose key was revoked, has expired or is gone, whose maker left the workspace, or whose maker may not read
     * the audit log any more. Returns their ids.
     */
    async pauseWithoutMaker(
      now: string,
      reasons: { key: string; left: string; audit: string },
    ): Promise<string[]> {
      const left = await db
        .selectFrom('webhooks')
        .select('id')
        .where('status', '=', 'active')
        .where(({ not }) => not(hasMaker(now)))
        .execute();
      if (left.length === 0) return [];
      const paused = await database.writeLocked((trx) =>
        trx
          .updateTable('webhooks')
          .set({
            status: 'paused',
            pause_reason: sql<string>`case when ${hearsAudit} then ${reasons.audit}
              when key_id is null then ${reasons.left} else ${reasons.key} end`,
          })
          .where('id', 'in', idsOf(left))
          .where('status', '=', 'active')
          .where(({ not }) => not(hasMaker(now)))
          .returning('id')
          .execute(),
      );
      return idsOf(paused);
    },

    /**
     * Claims active webhooks with waiting events that no other server delivers. From now on this server does. Accounts take
     * turns: each gets its first place before any gets a second. Webhooks of suspended accounts wait.
     */
    async takeDue(now: string, { free, perAccount, inFlight }: Places): Promise<SendingWebhook[]> {
      const ours = [processId, ...(await goneHolders())];
      const places = countBy(inFlight, ({ account_id }) => account_id);
      const full = [...places].filter(([, taken]) => taken >= perAccount).map(([account]) => account);
      const ranked = db
        .selectFrom('webhooks')
        .select(['id', 'account_id', 'holder', 'turn_at'])
        .select(sql<number>`row_number() over (partition by account_id order by turn_at, id)`.as('rank'))
        .where('status', '=', 'active')
        .where('next_attempt_at', '<=', now)
        .where((eb) => eb.or([eb('holder', 'is', null), eb('holder', 'in', ours)]))
        .where(hasMaker(now))
        .where(isMakerActive)
        .$if(full.length > 0, (query) => query.where('account_id', 'not in', full))
        .$if(inFlight.length > 0, (query) => query.where('id', 'not in', idsOf(inFlight)))
        .where(({ exists, selectFrom, ref }) =>
          exists(
            selectFrom('changes')
              .select('changes.seq')
              .whereRef('changes.owner_id', '=', 'webhooks.owner_id')
              .where('changes.tx', '<', database.changesHorizon)
              .where(database.changesBehind({ tx: ref('webhooks.tx'), seq: ref('webhooks.seq') })),
          ),
        );
      const due = await db
        .selectFrom(ranked.as('due'))
        .select(['id', 'account_id', 'holder'])
        .where('rank', '<=', perAccount)
        .orderBy('rank')
        .orderBy('turn_at')
        .orderBy('id')
        .limit(free)
        .execute();
      const taken = due.filter(({ account_id }) => {
        const before = places.get(account_id) ?? 0;
        places.set(account_id, before + 1);
        return before < perAccount;
      });
      const foreign = taken.filter(({ holder }) => holder !== processId);
      if (foreign.length > 0) await claim(idsOf(foreign), ours);
      if (taken.length === 0) return [];
      const rows = await db
        .selectFrom('webhooks')
        .select(whole)
        .where('id', 'in', idsOf(taken))
        .where('holder', '=', processId)
        .execute();
      return rows.map(fromRow);
    },

    /** The changes that wait for it, the oldest first, including those that it has not subscribed to. */
    waiting: (webhook: SendingWebhook, limit: number): Promise<(LoggedChange & ChangePosition)[]> =>
      readChanges(database, webhook.owner_id, webhook, limit),

    /** What the audit log says, as far as it still does, and whether the maker of the webhook may read it now. */
    async audited(
      { id, workspace_id }: Pick<SendingWebhook, 'id' | 'workspace_id'>,
      eventId: string,
      now: string,
    ): Promise<{ event: AuditEvent | undefined; isAllowed: boolean }> {
      const maker = await db
        .selectFrom('webhooks')
        .select(sql<number | boolean>`(${hasMaker(now)} and ${isMakerActive})`.as('is_allowed'))
        .where('id', '=', id)
        .executeTakeFirst();
      let query = db.selectFrom('audit_events').select(auditColumns).where('id', '=', eventId);
      if (workspace_id !== null) query = query.where('workspace_id', '=', workspace_id);
      return { event: await query.executeTakeFirst(), isAllowed: Boolean(maker?.is_allowed) };
    },

    /**
     * Everything up to `upTo` is delivered. Returns the webhook as it is now; undefined if it is gone or paused, or another
     * server delivers it.
     */
    advance(
      id: string,
      upTo: ChangePosition,
      deliveries: Delivery[],
      now: string,
    ): Promise<SendingWebhook | undefined> {
      return database.writeLocked(async (trx) => {
        const row = await trx
          .updateTable('webhooks')
          .set({ ...upTo, attempts: 0, failing_since: null, turn_at: now })
          .where('id', '=', id)
          .where('holder', '=', processId)
          .returning(whole)
          .executeTakeFirst();
        if (!row) return undefined;
        await keepDeliveries(trx, id, deliveries);
        return row.status === 'active' ? fromRow(row) : undefined;
      });
    },

    /** Nothing happens if the webhook was changed meanwhile. */
    async postpone({ id, updated_at }: SendingWebhook, failure: Failure, delivery: Delivery): Promise<void> {
      await database.writeLocked(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('webhooks')
          .set({ ...failure, turn_at: delivery.last_attempt_at })
          .where('id', '=', id)
          .where('holder', '=', processId)
          .where('updated_at', '=', updated_at)
          .executeTakeFirst();
        if (numUpdatedRows > 0n) await keepDeliveries(trx, id, [delivery]);
      });
    },

    /** Releases the webhooks, so that other servers may deliver them. */
    async leaveAll(): Promise<void> {
      await database.writeLocked((trx) =>
        trx.updateTable('webhooks').set({ holder: null }).where('holder', '=', processId).execute(),
      );
    },
  };

  /** Servers that are named in rows and run no more. */
  async function goneHolders(): Promise<string[]> {
    const others = await db
      .selectFrom('webhooks')
      .select('holder')
      .distinct()
      .where('holder', '!=', processId)
      .execute();
    const gone: string[] = [];
    for (const { holder } of others)
      if (holder !== null && !(await database.isServing(db, holder))) gone.push(holder);
    return gone;
  }

  /** Claims the webhooks that no other server has taken meanwhile. */
  async function claim(ids: string[], from: string[]): Promise<void> {
    await database.writeLocked((trx) =>
      trx
        .updateTable('webhooks')
        .set({ holder: processId })
        .where('id', 'in', ids)
        .where((eb) => eb.or([eb('holder', 'is', null), eb('holder', 'in', from)]))
        .execute(),
    );
  }
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

const hearsAudit = sql<SqlBool>`(webhooks.workspace_id is not null or webhooks.owner_id = ${wholeServer})`;

/** Nothing is sent for a suspended account. It waits, because it may work again. */
const isMakerActive = sql<SqlBool>`not exists (
  select 1 from users where users.id = webhooks.account_id and users.suspended_at is not null)`;

/**
 * Whether the webhook still has a maker with the right to it. A webhook made with a key: as long as the key works; rotation
 * changes the secret of a key, not its id. A webhook that a member made in a space: as long as the person is a member of the
 * workspace; the oldest such webhooks have the workspace as their account. A webhook that gets an audit log: as long as the
 * person who made it may read that log.
 */
const hasMaker = (now: string) => sql<boolean>`case when ${hearsAudit} then exists (
  select 1 from users left join workspace_members as admin
    on admin.user_id = users.id and admin.workspace_id = webhooks.workspace_id and admin.role = 'admin'
  where users.id = webhooks.account_id
    and (admin.user_id is not null or (webhooks.workspace_id is null and users.is_operator = 1))
) else (webhooks.key_id is null and (
  webhooks.space_id is null or exists (
    select 1 from spaces left join workspace_members as member
      on member.workspace_id = spaces.workspace_id and member.user_id = webhooks.account_id
    where spaces.id = webhooks.space_id
      and (member.user_id is not null or spaces.workspace_id = webhooks.account_id))
) or exists (
  select 1 from api_keys where api_keys.id = webhooks.key_id and api_keys.revoked_at is null
    and (api_keys.expires_at is null or api_keys.expires_at > ${now}))) end`;

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

export async function keepDeliveries(trx: Db, webhook_id: string, deliveries: Delivery[]): Promise<void> {
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
        request_head: ref('excluded.request_head'),
        response_head: ref('excluded.response_head'),
      })),
    )
    .execute();
}
