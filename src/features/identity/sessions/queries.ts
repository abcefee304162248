import { type InferResult, type SqlBool, sql } from 'kysely';
import type { SignInMethod } from '../../../domain/audit.ts';
import { type NewSession, type Session, type StoredSession, session } from '../../../domain/session.ts';
import { AccountSuspended } from '../../../domain/user.ts';
import type { Authorized } from '../../../kernel/authorized.ts';
import type { Writing } from '../../../kernel/context.ts';
import type { Database, Db, Tx } from '../../../platform/database/database.ts';
import { blocksOn, withBlockedBy } from '../../../platform/database/policies.ts';
import { rowsOf, type Schema } from '../../../platform/database/schema.ts';
import { findById, userColumns } from '../accounts/queries.ts';

const { columns } = rowsOf(session);
const of = (db: Db, userId: string) =>
  db.selectFrom('sessions').select(columns).where('user_id', '=', userId);

/** The caller checks whether it has expired. */
export async function findWithUser(db: Db, tokenHash: string) {
  const found = await db
    .selectFrom('sessions')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where(isOfActiveUser)
    .executeTakeFirst();
  const user = found && (await findById(db, found.user_id));
  return found && user && { session: found, user };
}

/** Whether it is a session of an account that may not be used for now. */
export async function isSuspended(db: Db, tokenHash: string, now: string): Promise<boolean> {
  const found = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select('users.id')
    .where('sessions.token_hash', '=', tokenHash)
    .where('sessions.expires_at', '>', now)
    .where('users.suspended_at', 'is not', null)
    .executeTakeFirst();
  return found !== undefined;
}

/** Without expired ones, newest first. */
export const list = (db: Db, userId: string, now: string): Promise<Session[]> =>
  of(db, userId).where('expires_at', '>', now).orderBy('created_at', 'desc').orderBy('id', 'desc').execute();

export const find = (db: Db, userId: string, id: string) =>
  of(db, userId).where('id', '=', id).executeTakeFirst();

/** False if the session is gone, or its account is suspended. */
export async function extend(
  tx: Tx,
  id: string,
  times: { expires_at: string; updated_at: string },
): Promise<boolean> {
  const extended = await tx
    .updateTable('sessions')
    .set(times)
    .where('id', '=', id)
    .where(isOfActiveUser)
    .returning('user_id')
    .executeTakeFirst();
  if (extended) await noteVisit(tx, extended.user_id, times.updated_at);
  return extended !== undefined;
}

/** Outlasts the sessions: after signing out, operators still see when the account was used. */
const noteVisit = (tx: Tx, user_id: string, last_at: string) =>
  tx
    .insertInto('visits')
    .values({ user_id, last_at })
    .onConflict((known) => known.column('user_id').doUpdateSet({ last_at }))
    .execute();

export const remove = (tx: Tx, { id }: Authorized<Session>) =>
  tx.deleteFrom('sessions').where('id', '=', id).execute();

/** Returns the session that ended. */
export async function removeByHash(tx: Tx, tokenHash: string, now: string) {
  const ended = await tx
    .deleteFrom('sessions')
    .where('token_hash', '=', tokenHash)
    .returning(['user_id', 'provider'])
    .executeTakeFirst();
  if (ended) await noteVisit(tx, ended.user_id, now);
  return ended;
}

export const removeAll = (tx: Tx, userId: string) =>
  tx.deleteFrom('sessions').where('user_id', '=', userId).execute();

/** Every way to sign in ends here. Also deletes expired sessions. Raises `forbidden` for a suspended account. */
export async function insertSession(
  context: Writing,
  session: StoredSession,
  how: SignInMethod,
): Promise<void> {
  const { tx } = context;
  await admit(context, session, how);
  await tx.deleteFrom('sessions').where('expires_at', '<=', session.created_at).execute();
  await tx.insertInto('sessions').values(session).execute();
}

/** Like `insertSession`. */
export async function insertAgentToken(context: Writing, token: Schema['agent_tokens']): Promise<void> {
  const { tx } = context;
  await admit(context, token, 'agent code');
  await tx.deleteFrom('agent_tokens').where('expires_at', '<=', token.created_at).execute();
  await tx.insertInto('agent_tokens').values(token).execute();
}

async function admit(
  { tx, audit }: Writing,
  { user_id: userId, created_at: at }: Pick<StoredSession, 'user_id' | 'created_at'>,
  how: SignInMethod,
): Promise<void> {
  const suspended = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('suspended_at', 'is not', null)
    .executeTakeFirst();
  if (suspended) throw new AccountSuspended();
  await noteVisit(tx, userId, at);
  await audit({ act: 'sign_in', actor_id: userId, detail: how });
}

/** Also deletes expired links, and an earlier one of the same session. False if that session has ended. */
export async function insertLink({ tx, audit }: Writing, link: Schema['sign_in_links']): Promise<boolean> {
  await tx.deleteFrom('sign_in_links').where('expires_at', '<=', link.created_at).execute();
  const { session_id } = link;
  if (session_id !== null) {
    const maker = tx.selectFrom('sessions').select('id').where('id', '=', session_id);
    if (!(await maker.executeTakeFirst())) return false;
    await tx.deleteFrom('sign_in_links').where('session_id', '=', session_id).execute();
  }
  await tx.insertInto('sign_in_links').values(link).execute();
  const user = await findById(tx, link.user_id);
  await audit({
    act: 'sign_in_link.made',
    subject_id: link.user_id,
    subject_name: user?.email ?? user?.name ?? null,
    ...(session_id === null ? {} : { detail: 'one-time token' }),
  });
  return true;
}

/** The user of the operator's link; undefined if it is unknown, used or expired. */
export const findByLink = (db: Db, linkHash: string, now: string) =>
  db
    .selectFrom('sign_in_links as link')
    .innerJoin('users', 'users.id', 'link.user_id')
    .select(userColumns.map((column) => `users.${column}` as const))
    .where('link.token_hash', '=', linkHash)
    .where('link.session_id', 'is', null)
    .where('link.expires_at', '>', now)
    .executeTakeFirst();

/** Uses up a link of this kind and stores the session. Returns the user, or undefined if the link does not work. */
export async function redeemLink(
  context: Writing,
  linkHash: string,
  session: NewSession,
  kind: 'link' | 'one-time token',
) {
  const { tx } = context;
  const link = await tx
    .deleteFrom('sign_in_links')
    .where('token_hash', '=', linkHash)
    .where('session_id', kind === 'link' ? 'is' : 'is not', null)
    .returning(['user_id', 'expires_at', 'session_id'])
    .executeTakeFirst();
  if (!link || link.expires_at <= session.created_at) return undefined;
  // The session that made a one-time token: a person who signs out of what came of it signs out of the provider too.
  const maker = tx.selectFrom('sessions').select('provider').where('id', '=', link.session_id);
  const { provider } = (await maker.executeTakeFirst()) ?? session;
  await insertSession(context, { ...session, user_id: link.user_id, provider }, kind);
  return findById(tx, link.user_id);
}

/** A suspended account keeps its sessions, and until it works again it has none. */
const isOfActiveUser = sql<SqlBool>`user_id in (select id from users where suspended_at is null)`;

/** A session or agent token with the plan of its user, who is not suspended. The caller checks whether it has expired. */
export type LiveToken = NonNullable<Awaited<ReturnType<ReturnType<typeof tokenFinder>>>>;

/** Joined with the account, so that the tokens of a deleted or suspended user do not work. */
export function tokenFinder(database: Database, table: 'sessions' | 'agent_tokens') {
  // Built once, because every call of the console needs it.
  const query = selectToken(database.db, table, '');
  const { sql } = query.compile();
  return async (tokenHash: string) => {
    const [row] = await database.read<InferResult<typeof query>[number]>(sql, [tokenHash]);
    if (!row) return undefined;
    const { app_password_id, ...token } = withBlockedBy(row);
    return { ...token, is_operator: row.is_operator === 1, by_app_password: app_password_id !== null };
  };
}

const selectToken = (db: Db, table: 'sessions' | 'agent_tokens', tokenHash: string) =>
  db
    .with('token', (query) =>
      query
        .selectFrom(table)
        .select(['id', 'user_id', 'expires_at'])
        .select(
          table === 'sessions'
            ? sql.ref<string | null>('app_password_id').as('app_password_id')
            : sql<null>`null`.as('app_password_id'),
        )
        .where('token_hash', '=', tokenHash),
    )
    .selectFrom('token')
    .innerJoin('users', 'users.id', 'token.user_id')
    .select([
      'token.id',
      'token.user_id',
      'token.expires_at',
      'users.plan',
      'users.is_operator',
      'token.app_password_id',
    ])
    .select(blocksOn('token.user_id'))
    .where('users.suspended_at', 'is', null);
