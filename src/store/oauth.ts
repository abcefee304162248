import { grant, type OAuthClient, oauthClient } from '../domain/oauth.ts';
import type { OAuthStore } from '../ports/oauth-store.ts';
import { type Recorder, recorder } from './audit.ts';
import type { Database, Db } from './database.ts';
import { blocksOn, withBlockedBy } from './policies.ts';
import { rowsOf } from './schema.ts';

const clientRows = rowsOf(oauthClient);
const { toRow, fromRow } = rowsOf(grant);

/** Rows that one write may delete, so that nobody waits long. */
const rowsPerDelete = 1_000;

export function createOAuthStore(database: Database): OAuthStore {
  const { db } = database;
  return {
    addClient(client, { since, perNetwork, waiting }) {
      return database.write(async (trx) => {
        const { count } = await trx
          .selectFrom('oauth_clients')
          .select(({ fn }) => fn.countAll<number | string>().as('count'))
          .where('network', '=', client.network)
          .where('created_at', '>', since)
          .executeTakeFirstOrThrow();
        if (Number(count) >= perNetwork) return 'too many';
        const old = await withoutGrant(trx)
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .offset(waiting - 1)
          .limit(rowsPerDelete)
          .execute();
        await deleteClients(trx, old);
        await trx.insertInto('oauth_clients').values(clientRows.toRow(client)).execute();
        return 'ok';
      });
    },

    async findClient(id): Promise<OAuthClient | undefined> {
      const row = await db.selectFrom('oauth_clients').selectAll().where('id', '=', id).executeTakeFirst();
      return row && clientRows.fromRow(row);
    },

    addGrant(added, max) {
      const record = recorder();
      return database.write(async (trx) => {
        const now = added.created_at;
        await trx
          .deleteFrom('oauth_grants')
          .where('user_id', '=', added.user_id)
          .where('expires_at', '<=', now)
          .execute();
        const { count } = await trx
          .selectFrom('oauth_grants')
          .select(({ fn }) => fn.countAll<number | string>().as('count'))
          .where('user_id', '=', added.user_id)
          .executeTakeFirstOrThrow();
        if (Number(count) >= max) return false;
        await trx.insertInto('oauth_grants').values(toRow(added)).execute();
        const client = await trx
          .updateTable('oauth_clients')
          .set({ used_at: now })
          .where('id', '=', added.client_id)
          .returning('name')
          .executeTakeFirstOrThrow();
        const detail = `${added.scopes.join(' ')} for ${new URL(added.redirect_uri).host || added.redirect_uri}`;
        await record(trx, { act: 'grant.made', subject_id: added.id, subject_name: client.name, detail });
        return true;
      });
    },

    useCode({ code_hash, now, matches }, tokens) {
      const record = recorder();
      return database.write(async (trx) => {
        const found = await selectGrant(trx).where('code_hash', '=', code_hash).executeTakeFirst();
        if (!found) return undefined;
        if (found.used_at !== null) return revoke(trx, found, record, 'its code was used twice');
        if (found.suspended_at !== null || found.code_expires_at <= now || !matches(found)) return undefined;
        // An assistant that is connected again has lost its tokens.
        await trx
          .deleteFrom('oauth_grants')
          .where('user_id', '=', found.user_id)
          .where('client_id', '=', found.client_id)
          .where('id', '!=', found.id)
          .execute();
        await trx.updateTable('oauth_grants').set(tokens).where('id', '=', found.id).execute();
        return fromRow({ scopes: found.scopes }).scopes;
      });
    },

    refresh({ family_hash, refresh_hash, now, leewaySince, matches, gave }, tokens) {
      const record = recorder();
      return database.write(async (trx) => {
        const found = await selectGrant(trx).where('family_hash', '=', family_hash).executeTakeFirst();
        if (!found || found.expires_at <= now || !matches(found)) return undefined;
        const { successor, used_at } = found;
        const isCurrent = found.refresh_hash === refresh_hash;
        const isSentAgain = (used_at ?? '') >= leewaySince && successor !== null && gave(successor);
        if (!isCurrent && !isSentAgain) return revoke(trx, found, record, 'a refresh token was used twice');
        if (found.suspended_at !== null) return undefined;
        const { scopes } = fromRow({ scopes: found.scopes });
        if (!isCurrent && successor !== null) return { scopes, successor };
        await trx.updateTable('oauth_grants').set(tokens).where('id', '=', found.id).execute();
        return { scopes };
      });
    },

    async findByAccess(accessHash) {
      const row = await db
        .selectFrom('oauth_grants as given')
        .innerJoin('oauth_clients as client', 'client.id', 'given.client_id')
        .innerJoin('users', 'users.id', 'given.user_id')
        .select(['given.id', 'given.user_id', 'given.scopes', 'given.access_expires_at as expires_at'])
        .select(['client.name as client_name', 'users.plan'])
        .select(blocksOn('given.user_id'))
        .where('given.access_hash', '=', accessHash)
        .where('users.suspended_at', 'is', null)
        .executeTakeFirst();
      if (!row || row.expires_at === null) return undefined;
      return { ...withBlockedBy(fromRow(row)), expires_at: row.expires_at };
    },

    revokeByToken(tokenHash, clientId) {
      const record = recorder();
      return database.write(async (trx) => {
        const found = await selectGrant(trx)
          .where((eb) => eb.or([eb('access_hash', '=', tokenHash), eb('refresh_hash', '=', tokenHash)]))
          .where('client_id', '=', clientId)
          .executeTakeFirst();
        if (found) await revoke(trx, found, record, 'by the assistant');
      });
    },

    async list(userId, now) {
      const rows = await db
        .selectFrom('oauth_grants as given')
        .innerJoin('oauth_clients as client', 'client.id', 'given.client_id')
        .select(['given.id', 'given.redirect_uri', 'given.scopes', 'given.created_at', 'given.expires_at'])
        .select(({ ref }) => ['client.name as client_name', ref('given.used_at').$notNull().as('used_at')])
        .where('given.user_id', '=', userId)
        .where('given.used_at', 'is not', null)
        .where('given.expires_at', '>', now)
        .orderBy('given.created_at', 'desc')
        .orderBy('given.id', 'desc')
        .execute();
      return rows.map(fromRow);
    },

    remove(userId, id) {
      const record = recorder();
      return database.write(async (trx) => {
        const found = await selectGrant(trx)
          .where('given.id', '=', id)
          .where('user_id', '=', userId)
          .executeTakeFirst();
        if (found) await revoke(trx, found, record);
        return found !== undefined;
      });
    },

    forget(now, { unusedBefore, usedBefore }) {
      return database.write(async (trx) => {
        await trx.deleteFrom('oauth_grants').where('expires_at', '<=', now).execute();
        const old = await withoutGrant(trx)
          .where((eb) =>
            eb.or([
              eb('used_at', '<', usedBefore),
              eb.and([eb('used_at', 'is', null), eb('created_at', '<', unusedBefore)]),
            ]),
          )
          .limit(rowsPerDelete)
          .execute();
        await deleteClients(trx, old);
      });
    },
  };
}

const selectGrant = (trx: Db) =>
  trx
    .selectFrom('oauth_grants as given')
    .innerJoin('users', 'users.id', 'given.user_id')
    .selectAll('given')
    .select('users.suspended_at');

const withoutGrant = (trx: Db) =>
  trx
    .selectFrom('oauth_clients')
    .select('id')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('oauth_grants').select('oauth_grants.id').whereRef('client_id', '=', 'oauth_clients.id'),
        ),
      ),
    );

async function deleteClients(trx: Db, clients: { id: string }[]): Promise<void> {
  const ids = clients.map(({ id }) => id);
  if (ids.length > 0) await trx.deleteFrom('oauth_clients').where('id', 'in', ids).execute();
}

async function revoke(
  trx: Db,
  found: { id: string; user_id: string; client_id: string },
  record: Recorder,
  detail?: string,
): Promise<undefined> {
  await trx.deleteFrom('oauth_grants').where('id', '=', found.id).execute();
  const client = await trx
    .selectFrom('oauth_clients')
    .select('name')
    .where('id', '=', found.client_id)
    .executeTakeFirst();
  await record(trx, {
    act: 'grant.revoked',
    actor_id: found.user_id,
    subject_id: found.id,
    subject_name: client?.name ?? null,
    ...(detail === undefined ? {} : { detail }),
  });
}
