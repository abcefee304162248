import { type InferResult, type SqlBool, sql } from 'kysely';
import { type StoredSession, session } from '../domain/session.ts';
import { AccountSuspended } from '../domain/user.ts';
import type { AgentTokenStore, LiveToken, SessionStore, SignInLinkStore } from '../ports/identity-store.ts';
import { recorder, type SignInTrace, tracedSignIn } from './audit.ts';
import type { Database, Db } from './database.ts';
import { blocksOn, withBlockedBy } from './policies.ts';
import { rowsOf, type Schema } from './schema.ts';
import { userColumns } from './users.ts';

const { columns } = rowsOf(session);

export function createSessionStore(database: Database): SessionStore {
  const { db } = database;
  return {
    findByHash: tokenFinder(database, 'sessions'),

    async findWithUser(tokenHash) {
      const found = await db
        .selectFrom('sessions')
        .selectAll()
        .where('token_hash', '=', tokenHash)
        .where(isOfActiveUser)
        .executeTakeFirst();
      const user = found && (await findUser(db, found.user_id));
      return found && user && { session: found, user };
    },

    list: (userId, now) =>
      db
        .selectFrom('sessions')
        .select(columns)
        .where('user_id', '=', userId)
        .where('expires_at', '>', now)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute(),

    extend(id, times) {
      return database.write(async (trx) => {
        const result = await trx
          .updateTable('sessions')
          .set(times)
          .where('id', '=', id)
          .where(isOfActiveUser)
          .executeTakeFirst();
        return result.numUpdatedRows > 0n;
      });
    },

    remove(userId, id) {
      return database.write(async (trx) => {
        const result = await trx
          .deleteFrom('sessions')
          .where('user_id', '=', userId)
          .where('id', '=', id)
          .executeTakeFirst();
        return result.numDeletedRows > 0n;
      });
    },

    removeByHash(tokenHash) {
      return database.write(async (trx) => {
        return trx
          .deleteFrom('sessions')
          .where('token_hash', '=', tokenHash)
          .returning(['user_id', 'provider'])
          .executeTakeFirst();
      });
    },

    removeAll(userId) {
      return database.write(async (trx) => {
        await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
      });
    },
  };
}

export function createAgentTokenStore(database: Database): AgentTokenStore {
  return { findByHash: tokenFinder(database, 'agent_tokens') };
}

export function createSignInLinkStore(database: Database): SignInLinkStore {
  return {
    insert(link) {
      const record = recorder();
      return database.write(async (trx) => {
        await trx.deleteFrom('sign_in_links').where('expires_at', '<=', link.created_at).execute();
        const { session_id } = link;
        if (session_id !== null) {
          const maker = trx.selectFrom('sessions').select('id').where('id', '=', session_id);
          if (!(await maker.executeTakeFirst())) return false;
          await trx.deleteFrom('sign_in_links').where('session_id', '=', session_id).execute();
        }
        await trx.insertInto('sign_in_links').values(link).execute();
        const { email, name } = (await findUser(trx, link.user_id)) ?? { email: null, name: null };
        await record(trx, {
          act: 'sign_in_link.made',
          subject_id: link.user_id,
          subject_name: email ?? name,
          ...(session_id === null ? {} : { detail: 'one-time token' }),
        });
        return true;
      });
    },

    find: (linkHash, now) =>
      database.db
        .selectFrom('sign_in_links as link')
        .innerJoin('users', 'users.id', 'link.user_id')
        .select(userColumns.map((column) => `users.${column}` as const))
        .where('link.token_hash', '=', linkHash)
        .where('link.session_id', 'is', null)
        .where('link.expires_at', '>', now)
        .executeTakeFirst(),

    redeem(linkHash, session, kind) {
      const signIn = tracedSignIn(kind);
      return database.write(async (trx) => {
        const link = await trx
          .deleteFrom('sign_in_links')
          .where('token_hash', '=', linkHash)
          .where('session_id', kind === 'link' ? 'is' : 'is not', null)
          .returning(['user_id', 'expires_at', 'session_id'])
          .executeTakeFirst();
        if (!link || link.expires_at <= session.created_at) return undefined;
        const { provider } = (await maker(trx, link.session_id)) ?? session;
        await insertSession(trx, { ...session, user_id: link.user_id, provider }, signIn);
        return findUser(trx, link.user_id);
      });
    },
  };
}

/** The session that made a one-time token: whoever signs out of what came of it signs out of the provider too. */
const maker = (trx: Db, id: string | null) =>
  trx.selectFrom('sessions').select('provider').where('id', '=', id).executeTakeFirst();

/** With which everybody signs in. Also deletes expired sessions. Raises `forbidden` for a suspended account. */
export async function insertSession(trx: Db, session: StoredSession, signIn: SignInTrace): Promise<void> {
  await admit(trx, session.user_id, signIn);
  await trx.deleteFrom('sessions').where('expires_at', '<=', session.created_at).execute();
  await trx.insertInto('sessions').values(session).execute();
}

/** Like `insertSession`. */
export async function insertAgentToken(
  trx: Db,
  token: Schema['agent_tokens'],
  signIn: SignInTrace,
): Promise<void> {
  await admit(trx, token.user_id, signIn);
  await trx.deleteFrom('agent_tokens').where('expires_at', '<=', token.created_at).execute();
  await trx.insertInto('agent_tokens').values(token).execute();
}

async function admit(trx: Db, userId: string, { how, record }: SignInTrace): Promise<void> {
  const suspended = await trx
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('suspended_at', 'is not', null)
    .executeTakeFirst();
  if (suspended) throw new AccountSuspended();
  await record(trx, { act: 'sign_in', actor_id: userId, detail: how });
}

/** A suspended account keeps its sessions, and until it works again it has none. */
const isOfActiveUser = sql<SqlBool>`user_id in (select id from users where suspended_at is null)`;

const findUser = (db: Db, id: string) =>
  db.selectFrom('users').select(userColumns).where('id', '=', id).executeTakeFirst();

/** Joined with the account, so that the tokens of a deleted or suspended user do not work. */
function tokenFinder(database: Database, table: 'sessions' | 'agent_tokens') {
  // Built once, because every call of the console needs it.
  const query = selectToken(database.db, table, '');
  const { sql } = query.compile();
  return async (tokenHash: string): Promise<LiveToken | undefined> => {
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
