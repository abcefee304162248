import type { AuditAct } from '../../domain/audit.ts';
import { limitReached, notFound } from '../../domain/errors.ts';
import { reachOf } from '../../domain/owner.ts';
import type { Authority } from '../../domain/principal.ts';
import {
  maxWebhooksPerOwner,
  type SendingWebhook,
  type Webhook,
  type WebhookChanges,
  type WebhookMaker,
  wholeServer,
} from '../../domain/webhook.ts';
import { type Authorized, authorize, type Reach } from '../../kernel/authorized.ts';
import type { CommandContext, Writing } from '../../kernel/context.ts';
import { describeChanges, workspaceOf } from '../../platform/database/audit.ts';
import { requireOwner } from '../../platform/database/owners.ts';
import * as queries from './queries.ts';

/** An app password, which may be in many programs, reaches no audit log; nor does a key. */
export const webhookReach = (who: Authority): queries.WebhookReach =>
  who.kind === 'operator' || (who.kind === 'session' && !who.byAppPassword) ? who : reachOf(who);

/** A webhook of a person or space within reach, or of an audit log that the caller may read. */
export const own = authorize<SendingWebhook, Reach<Authority>>('Webhook', ({ db, who }, id) =>
  queries.find(db, webhookReach(who), id),
);

/** Raises `limit_reached`, and `invalid_api_key` if the account of the owner is gone. */
export async function add(
  { database, tx, audit }: Pick<CommandContext, 'database' | 'tx' | 'audit'>,
  made: queries.NewWebhook,
  max = maxWebhooksPerOwner,
): Promise<void> {
  // A workspace that is gone fails by its foreign key.
  if (made.workspace_id === null && made.owner_id !== wholeServer) await requireOwner(database, tx, made);
  if ((await queries.ofOwner(tx, made.owner_id)).length >= max)
    throw limitReached(`You can have at most ${max} webhooks.`);
  await queries.insert(database, tx, made);
  await record({ tx, audit }, 'webhook.created', made, made.events.join(' '));
}

/** Also retries at once after failures. */
export async function change(
  { tx, audit, now }: Pick<CommandContext, 'tx' | 'audit' | 'now'>,
  found: Authorized<SendingWebhook>,
  changes: WebhookChanges & Partial<WebhookMaker>,
): Promise<Webhook> {
  const after = await queries.update(tx, found, changes, now);
  if (!after) throw notFound('Webhook');
  const { url, events, status } = changes;
  const detail = describeChanges({
    ...(url !== undefined && { url: origin(url) }),
    ...(events && { events: events.join(' ') }),
    ...(status && { status }),
  });
  // Without a detail, the waiting events are only tried again.
  if (detail !== '') await record({ tx, audit }, 'webhook.changed', after, detail);
  return after;
}

/** Writes the act into the audit log of the server, and of the workspace whose webhook it is. */
export async function record(
  { tx, audit }: Writing,
  act: Extract<AuditAct, `webhook.${string}`>,
  { id, url, workspace_id, space_id }: Pick<Webhook, 'id' | 'url' | 'workspace_id' | 'space_id'>,
  detail?: string,
): Promise<void> {
  await audit({
    act,
    subject_id: id,
    subject_name: origin(url),
    workspace_id: workspace_id ?? (space_id && (await workspaceOf(tx, space_id))),
    ...(detail !== undefined && { detail }),
  });
}

/** The path of an address may be a secret of its receiver, so the log has only its origin. */
const origin = (url: string) => new URL(url).origin;
