import type { Act } from '../../domain/audit.ts';
import {
  expiredInvitationMs,
  invitation,
  maxInvitationsPerAddressAndHour,
  maxInvitationsPerInviterAndHour,
  maxWrongLinksPerClientAndHour,
  type StoredInvitation,
} from '../../domain/invitation.ts';
import type { NewId } from '../../lib/uuid.ts';
import { type Recorder, recorder } from '../../platform/database/audit.ts';
import type { Database, Db, Tx } from '../../platform/database/database.ts';
import { keyCompletion } from '../../platform/database/idempotency.ts';
import { policyColumns, withPolicy } from '../../platform/database/policies.ts';
import type { InvitationStore, Recipient } from '../../platform/database/ports/workspace-store.ts';
import { rowsOf, type Schema } from '../../platform/database/schema.ts';
import { insert } from '../identity/accounts/queries.ts';
import { forgetRequests, rememberRequests, requestTimes } from '../identity/codes/queries.ts';
import { waitForRoom } from '../identity/codes/rules.ts';
import { insertSession } from '../identity/sessions/queries.ts';

const { columns, toRow, fromRow } = rowsOf(invitation);

export function createInvitationStore(database: Database, newId: NewId): InvitationStore {
  const { db } = database;

  /** Inside a write. Milliseconds until the next one may be sent. If 0, the invitation is counted. */
  async function waitToSend(trx: Tx, { invited_by, email }: StoredInvitation, now: number): Promise<number> {
    const [inviter, address] = [`inviter ${invited_by}`, `invited ${email}`];
    await forgetRequests(trx, now);
    const wait = Math.max(
      0,
      waitForRoom(await requestTimes(trx, inviter), maxInvitationsPerInviterAndHour, now),
      waitForRoom(await requestTimes(trx, address), maxInvitationsPerAddressAndHour, now),
    );
    if (wait === 0) await rememberRequests(trx, newId, [inviter, address], new Date(now).toISOString());
    return wait;
  }

  return {
    async list(workspaceId, now) {
      const rows = await db
        .selectFrom('invitations')
        .select(columns)
        .where('workspace_id', '=', workspaceId)
        .where('expires_at', '>', forgottenAt(now))
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(fromRow);
    },

    put(sent, now, kept) {
      const record = recorder();
      const completeKey = keyCompletion();
      return database.write(async (trx) => {
        const member = await trx
          .selectFrom('workspace_members as member')
          .innerJoin('users', 'users.id', 'member.user_id')
          .select('member.managed')
          .where('member.workspace_id', '=', sent.workspace_id)
          .where('users.email', '=', sent.email)
          .executeTakeFirst();
        if (member && (member.managed === 1 || !sent.managed)) return 'member already';
        const wait = await waitToSend(trx, sent, now);
        if (wait > 0) return { wait };
        await trx
          .deleteFrom('invitations')
          .where((eb) =>
            eb.or([
              eb.and([eb('workspace_id', '=', sent.workspace_id), eb('email', '=', sent.email)]),
              eb('expires_at', '<=', forgottenAt(now)),
            ]),
          )
          .execute();
        await trx.insertInto('invitations').values(toRow(sent)).execute();
        await record(trx, invited(sent));
        await completeKey?.(trx, sent.id, kept);
        return 'ok';
      });
    },

    renew(workspaceId, id, changes, now) {
      const record = recorder();
      return database.write(async (trx) => {
        const found = await trx
          .selectFrom('invitations')
          .selectAll()
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id)
          .executeTakeFirst();
        if (!found) return 'not found';
        const renewed = { ...fromRow(found), ...changes };
        const wait = await waitToSend(trx, renewed, now);
        if (wait > 0) return { wait };
        await trx.updateTable('invitations').set(changes).where('id', '=', id).execute();
        await record(trx, invited(renewed));
        return renewed;
      });
    },

    remove(workspaceId, id) {
      const record = recorder();
      return database.write(async (trx) => {
        const removed = await trx
          .deleteFrom('invitations')
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id)
          .returning('email')
          .executeTakeFirst();
        if (!removed) return false;
        await record(trx, {
          act: 'invitation.revoked',
          workspace_id: workspaceId,
          subject_id: id,
          subject_name: removed.email,
        });
        return true;
      });
    },

    async listFor(userId, now) {
      const rows = await shown(toAddressOf(db, userId, now))
        .orderBy('invitation.created_at')
        .orderBy('invitation.id')
        .execute();
      return rows.map(asReceived);
    },

    async findFor(recipient) {
      const row = await shown(received(db, recipient)).executeTakeFirst();
      return row && asReceived(row);
    },

    accept(recipient) {
      const record = recorder();
      return database.write(async (trx) => {
        const found = await received(trx, recipient).selectAll('invitation').executeTakeFirst();
        if (!found) return undefined;
        await admit(trx, found, { userId: recipient.userId, at: recipient.now, record });
        return found.workspace_id;
      });
    },

    decline(recipient) {
      return database.write(async (trx) => {
        const found = await received(trx, recipient).select('invitation.id').executeTakeFirst();
        if (found) await trx.deleteFrom('invitations').where('id', '=', found.id).execute();
        return found !== undefined;
      });
    },

    isInvited: (email, now) => isInvited(db, email, now),

    async findByToken(tokenHash, now) {
      const row = await shown(open(db, now))
        .select('invitation.mailed')
        .where('invitation.token_hash', '=', tokenHash)
        .executeTakeFirst();
      return row && { ...asReceived(row), mailed: row.mailed };
    },

    join({ tokenHash, client, now, acceptsShownLinks, session, newUser }) {
      const at = new Date(now).toISOString();
      const record = recorder();
      const wrongLinks = `wrong links ${client}`;
      return database.write(async (trx) => {
        await forgetRequests(trx, now);
        const wait = waitForRoom(await requestTimes(trx, wrongLinks), maxWrongLinksPerClientAndHour, now);
        if (wait > 0) return { wait };
        const found = await open(trx, at)
          .selectAll('invitation')
          .where('invitation.token_hash', '=', tokenHash)
          .executeTakeFirst();
        if (!found) {
          await rememberRequests(trx, newId, [wrongLinks], at);
          return 'not found';
        }
        const { email, mailed, workspace_id: workspaceId } = found;
        const known = await trx
          .selectFrom('users')
          .select('id')
          .where('email', '=', email)
          .executeTakeFirst();
        if (known) return 'has account';
        if (mailed === 0 && !acceptsShownLinks) return 'needs code';
        const user = newUser(email);
        const writing = { tx: trx, audit: (act: Act) => record(trx, act) };
        await insert(writing, user);
        await insertSession(writing, { ...session, user_id: user.id }, 'invitation');
        await admit(trx, found, { userId: user.id, at, record });
        return { user, workspaceId };
      });
    },
  };
}

export async function isInvited(db: Db, email: string, now: string): Promise<boolean> {
  const query = open(db, now).select('invitation.id').where('invitation.email', '=', email);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Inside a write. Uses the invitation up. */
async function admit(
  trx: Db,
  { id, workspace_id, role, managed, email }: Schema['invitations'],
  { userId: user_id, at: created_at, record }: { userId: string; at: string; record: Recorder },
) {
  await trx.deleteFrom('invitations').where('id', '=', id).execute();
  await trx
    .insertInto('workspace_members')
    .values({ workspace_id, user_id, role, managed, created_at })
    // A member agreed only to be managed, so the role does not change.
    .onConflict((conflict) =>
      managed === 1
        ? conflict.columns(['workspace_id', 'user_id']).doUpdateSet({ managed })
        : conflict.doNothing(),
    )
    .execute();
  await record(trx, {
    act: 'member.added',
    actor_id: user_id,
    workspace_id,
    subject_id: user_id,
    subject_name: email,
    detail: managed === 1 ? `${role}, managed` : role,
  });
}

const invited = ({ id, workspace_id, email, role, managed }: StoredInvitation): Act => ({
  act: 'member.invited',
  workspace_id,
  subject_id: id,
  subject_name: email,
  detail: managed ? `${role}, managed` : role,
});

const forgottenAt = (now: number) => new Date(now - expiredInvitationMs).toISOString();

/** The open invitation that the recipient names, if it is for the address of their account. */
const received = (db: Db, { invitation, userId, now }: Recipient) => {
  const open = toAddressOf(db, userId, now);
  return 'id' in invitation
    ? open.where('invitation.id', '=', invitation.id)
    : open.where('invitation.token_hash', '=', invitation.tokenHash);
};

/** Those for the address of this account. */
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
    .where('invitation.expires_at', '>', now);

const shown = (invitations: ReturnType<typeof open>) =>
  invitations
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
    .select(policyColumns);

function asReceived(row: Awaited<ReturnType<ReturnType<typeof shown>['execute']>>[number]) {
  const { workspace_id: id, workspace_name: name, ...rest } = withPolicy(fromRow(row));
  return { ...rest, workspace: { id, name } };
}
