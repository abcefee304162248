import { AppError, type ErrorCode } from '../../src/domain/errors.ts';
import type { PageQuery } from '../../src/domain/page.ts';
import type { Delivery, SendingWebhook, WebhookChanges } from '../../src/domain/webhook.ts';
import { keepDeliveries } from '../../src/engines/webhooks/turns.ts';
import { add, change, own } from '../../src/features/webhooks/acts.ts';
import * as queries from '../../src/features/webhooks/queries.ts';
import { type Authorized, authorize, type Reach } from '../../src/kernel/authorized.ts';
import type { Db } from '../../src/platform/database/database.ts';
import type { composeServices } from '../../src/services.ts';

type Services = Pick<Awaited<ReturnType<typeof composeServices>>, 'act' | 'database' | 'parts'>;

const within = authorize<SendingWebhook, Reach<queries.WebhookReach>>('Webhook', ({ db, who }, id) =>
  queries.find(db, who, id),
);
const ifThere = (db: Db, who: queries.WebhookReach, id: string) =>
  unless('not_found', within({ db, who }, id), undefined);
/** A webhook that a test has made. */
const made = (id: string) => ({ id }) as Authorized<SendingWebhook>;

/** The webhooks in a database, without HTTP. */
export const webhooksIn = ({ act, database, parts }: Services) => ({
  ...parts.webhooks.turns,
  insert: (row: queries.NewWebhook, max: number): Promise<'ok' | 'limit reached'> =>
    unless(
      'limit_reached',
      act(async (context) => {
        await add(context, row, max);
        return 'ok' as const;
      }),
      'limit reached' as const,
    ),
  list: (ownerId: string) => queries.ofOwner(database.db, ownerId),
  listAll: () => queries.all(database.db),
  get: (by: queries.WebhookReach, id: string) => queries.find(database.db, by, id),
  update: (by: queries.WebhookReach, id: string, changes: WebhookChanges, now: string) =>
    act(
      async (context) => {
        const found = await ifThere(context.tx, by, id);
        return found && change({ ...context, now }, found, changes);
      },
      { locks: true },
    ),
  remove: (by: queries.WebhookReach, id: string) =>
    act(
      async ({ tx }) => {
        const found = await ifThere(tx, by, id);
        return found !== undefined && (await queries.remove(tx, found)) !== undefined;
      },
      { locks: true },
    ),
  rotate: (
    by: queries.WebhookReach,
    id: string,
    next: { secret: string; until: string | null },
    now: string,
  ) =>
    act(
      async ({ tx }) => {
        const found = await ifThere(tx, by, id);
        return found && queries.rotate(tx, found, next, now);
      },
      { locks: true },
    ),
  deliveries: (id: string, page: PageQuery) => queries.deliveries(database.db, made(id), page),
  delivery: (id: string, deliveryId: string) => queries.findDelivery(database.db, made(id), deliveryId),
  keepDelivery: (delivery: Delivery) => database.writeLocked((tx) => queries.updateDelivery(tx, delivery)),
  addDelivery: (id: string, delivery: Delivery) =>
    unless(
      'not_found',
      act(
        async (context) => {
          await keepDeliveries(context.tx, (await own(context, id)).id, [delivery]);
          return true;
        },
        { locks: true },
      ),
      false,
    ),
  removeDeliveries: (olderThan: string) =>
    database.writeLocked((tx) => queries.removeDeliveries(tx, olderThan)),
});

/** What a refusal with this code stands for. */
async function unless<Result, Refused>(
  code: ErrorCode,
  work: Promise<Result>,
  refused: Refused,
): Promise<Result | Refused> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof AppError && cause.code === code) return refused;
    throw cause;
  }
}
