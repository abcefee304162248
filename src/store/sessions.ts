import type { InferResult } from 'kysely';
import type { AgentTokenStore, LiveToken, SessionStore, SignInLinkStore } from '../ports/identity-store.ts';
import type { Database, Db } from './database.ts';
import { blocksOn, policiesIn } from './policies.ts';

const sessionColumns = ['id', 'ip_address', 'user_agent', 'created_at', 'expires_at'] as const;

export function createSessionStore(database: Database): SessionStore {
  const { db } = database;
  return {
    findByHash: tokenFinder(database, 'sessions'),

    list: (userId, now) =>
      db
        .selectFrom('sessions')
        .select(sessionColumns)
        .where('user_id', '=', userId)
        .where('expires_at', '>', now)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute(),

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
      return database.write(async (trx) => {
        await trx.deleteFrom('sign_in_links').where('expires_at', '<=', link.created_at).execute();
        await trx.insertInto('sign_in_links').values(link).execute();
      });
    },

    consume(tokenHash, now) {
      return database.write(async (trx) => {
        const link = await trx
          .deleteFrom('sign_in_links')
          .where('token_hash', '=', tokenHash)
          .returning(['user_id', 'expires_at'])
          .executeTakeFirst();
        return link && link.expires_at > now ? link.user_id : undefined;
      });
    },
  };
}

/** Joined with the account, so that a removed person's tokens are gone with it. */
function tokenFinder(database: Database, table: 'sessions' | 'agent_tokens') {
  // Built once: the console asks this at every call.
  const query = selectToken(database.db, table, '');
  const { sql } = query.compile();
  return async (tokenHash: string): Promise<LiveToken | undefined> => {
    const [row] = await database.read<InferResult<typeof query>[number]>(sql, [tokenHash]);
    if (!row) return undefined;
    const { blocks_cloud_transcription, blocks_cloud_backup, ...token } = row;
    return { ...token, blocked_by: policiesIn({ blocks_cloud_transcription, blocks_cloud_backup }) };
  };
}

const selectToken = (db: Db, table: 'sessions' | 'agent_tokens', tokenHash: string) =>
  db
    .with('token', (query) =>
      query.selectFrom(table).select(['id', 'user_id', 'expires_at']).where('token_hash', '=', tokenHash),
    )
    .selectFrom('token')
    .innerJoin('users', 'users.id', 'token.user_id')
    .select(['token.id', 'token.user_id', 'token.expires_at', 'users.plan'])
    .select(blocksOn('token.user_id'));
