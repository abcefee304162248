import { AppError } from '../../domain/errors.ts';
import {
  expiredInvitationMs,
  type Invitation,
  invitation,
  maxInvitationsPerAddressAndHour,
  maxInvitationsPerInviterAndHour,
  type ReceivedInvitation,
  type StoredInvitation,
} from '../../domain/invitation.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import type { CommandContext, Writing } from '../../kernel/context.ts';
import { isoAfter } from '../../lib/clock.ts';
import type { Db } from '../../platform/database/database.ts';
import { policyColumns, withPolicy } from '../../platform/database/policies.ts';
import { rowsOf } from '../../platform/database/schema.ts';
import { forgetRequests, rememberRequests, requestTimes } from '../identity/codes/queries.ts';
import { waitForRoom } from '../identity/codes/rules.ts';

const { columns, toRow, fromRow } = rowsOf(invitation);
const forgottenAt = (now: string) => isoAfter(now, -expiredInvitationMs);

type Sending = Pick<CommandContext<unknown>, 'tx' | 'audit' | 'now' | 'newId'>;

export async function list(db: Db, workspaceId: string, now: string): Promise<Invitation[]> {
  const rows = await db
    .selectFrom('invitations')
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '>', forgottenAt(now))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(fromRow);
}

export async function find(db: Db, id: string): Promise<StoredInvitation | undefined> {
  const row = await db.selectFrom('invitations').selectAll().where('id', '=', id).executeTakeFirst();
  return row && fromRow(row);
}

/**
 * Replaces an earlier invitation of the same address, and forgets those that expired long ago. Raises `rate_limited`, and
 * `conflict` if accepting it would change nothing.
 */
export async function insert(context: Sending, sent: StoredInvitation): Promise<void> {
  const { tx, now } = context;
  const member = await tx
    .selectFrom('workspace_members as member')
    .innerJoin('users', 'users.id', 'member.user_id')
    .select('member.managed')
    .where('member.workspace_id', '=', sent.workspace_id)
    .where('users.email', '=', sent.email)
    .executeTakeFirst();
  if (member && (member.managed === 1 || !sent.managed))
    throw new AppError('conflict', 'This person is already a member of the workspace.');
  await countSent(context, sent);
  await tx
    .deleteFrom('invitations')
    .where((eb) =>
      eb.or([
        eb.and([eb('workspace_id', '=', sent.workspace_id), eb('email', '=', sent.email)]),
        eb('expires_at', '<=', forgottenAt(now)),
      ]),
    )
    .execute();
  await tx.insertInto('invitations').values(toRow(sent)).execute();
}

/** Raises `rate_limited`. */
export async function renew(
  context: Sending,
  found: Authorized<StoredInvitation>,
  changes: Pick<StoredInvitation, 'token_hash' | 'expires_at' | 'invited_by' | 'mailed'>,
): Promise<StoredInvitation> {
  const renewed = { ...found, ...changes };
  await countSent(context, renewed);
  await context.tx.updateTable('invitations').set(changes).where('id', '=', found.id).execute();
  return renewed;
}

/** Counts it for its sender and its address. Raises `rate_limited`. */
async function countSent({ tx, audit, now, newId }: Sending, sent: StoredInvitation): Promise<void> {
  const { id, workspace_id, email, role, managed } = sent;
  const at = Date.parse(now);
  const [inviter, address] = [`inviter ${sent.invited_by}`, `invited ${email}`];
  await forgetRequests(tx, at);
  const wait = Math.max(
    waitForRoom(await requestTimes(tx, inviter), maxInvitationsPerInviterAndHour, at),
    waitForRoom(await requestTimes(tx, address), maxInvitationsPerAddressAndHour, at),
  );
  if (wait > 0) throw tooMany('Too many invitations were sent.', wait);
  await rememberRequests(tx, newId, [inviter, address], now);
  await audit({
    act: 'member.invited',
    workspace_id,
    subject_id: id,
    subject_name: email,
    detail: roleIn({ role, managed }),
  });
}

export const tooMany = (what: string, waitMs: number) =>
  new AppError('rate_limited', `${what} Wait as long as Retry-After says.`, {
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });

const roleIn = ({ role, managed }: Pick<Invitation, 'role' | 'managed'>) =>
  managed ? `${role}, managed` : role;

export async function revoke(
  { tx, audit }: Writing,
  { id, workspace_id, email }: Authorized<StoredInvitation>,
): Promise<void> {
  await tx.deleteFrom('invitations').where('id', '=', id).execute();
  await audit({ act: 'invitation.revoked', workspace_id, subject_id: id, subject_name: email });
}

/** Open invitations to the address of this account, the oldest first. */
export async function listFor(db: Db, userId: string, now: string): Promise<ReceivedInvitation[]> {
  const rows = await toAddressOf(db, userId, now)
    .orderBy('invitation.created_at')
    .orderBy('invitation.id')
    .execute();
  return rows.map(asReceived);
}

/** An open invitation to the address of this account. */
export async function findFor(
  db: Db,
  userId: string,
  [column, value]: readonly [column: 'id' | 'token_hash', value: string],
  now: string,
): Promise<ReceivedInvitation | undefined> {
  const found = toAddressOf(db, userId, now).where(`invitation.${column}`, '=', value);
  const row = await found.executeTakeFirst();
  return row && asReceived(row);
}

/** For a person who has the link. */
export async function findByToken(db: Db, tokenHash: string, now: string) {
  const row = await open(db, now)
    .select('invitation.mailed')
    .where('invitation.token_hash', '=', tokenHash)
    .executeTakeFirst();
  return row && { ...asReceived(row), mailed: row.mailed };
}

/** Whether an admin invites this address. */
export async function isInvited(db: Db, email: string, now: string): Promise<boolean> {
  return (await open(db, now).where('invitation.email', '=', email).executeTakeFirst()) !== undefined;
}

export const remove = (db: Db, { id }: Authorized<ReceivedInvitation>) =>
  db.deleteFrom('invitations').where('id', '=', id).execute();

/** Uses the invitation up. */
export async function accept(
  { tx, audit, now }: Pick<CommandContext<unknown>, 'tx' | 'audit' | 'now'>,
  found: Authorized<ReceivedInvitation>,
  userId: string,
): Promise<void> {
  const { role, workspace, email } = found;
  const managed = Number(found.managed);
  await remove(tx, found);
  await tx
    .insertInto('workspace_members')
    .values({ workspace_id: workspace.id, user_id: userId, role, managed, created_at: now })
    // A member agreed only to be managed, so the role does not change.
    .onConflict((conflict) =>
      managed === 1
        ? conflict.columns(['workspace_id', 'user_id']).doUpdateSet({ managed })
        : conflict.doNothing(),
    )
    .execute();
  await audit({
    act: 'member.added',
    actor_id: userId,
    workspace_id: workspace.id,
    subject_id: userId,
    subject_name: email,
    detail: roleIn(found),
  });
}

const toAddressOf = (db: Db, userId: string, now: string) =>
  open(db, now).where('invitation.email', '=', (eb) =>
    eb.selectFrom('users').select('email').where('id', '=', userId),
  );

/** The sender must still be an admin, who may have lost the role since. */
const open = (db: Db, now: string) =>
  db
    .selectFrom('invitations as invitation')
    .innerJoin('workspace_members as sender', (join) =>
      join
        .onRef('sender.workspace_id', '=', 'invitation.workspace_id')
        .onRef('sender.user_id', '=', 'invitation.invited_by')
        .on('sender.role', '=', 'admin'),
    )
    .innerJoin('workspaces', 'workspaces.id', 'invitation.workspace_id')
    .innerJoin('users as inviter', 'inviter.id', 'invitation.invited_by')
    .select([
      'invitation.id',
      'invitation.email',
      'invitation.role',
      'invitation.managed',
      'invitation.expires_at',
      'inviter.name as inviter_name',
      'workspaces.id as workspace_id',
      'workspaces.name as workspace_name',
    ])
    .select(policyColumns)
    .where('invitation.expires_at', '>', now);

function asReceived(row: Awaited<ReturnType<ReturnType<typeof open>['execute']>>[number]) {
  const { workspace_id: id, workspace_name: name, ...rest } = withPolicy(fromRow(row));
  return { ...rest, workspace: { id, name } };
}
