import type { Writing } from '../../../kernel/context.ts';
import { countRows } from '../../../platform/database/count.ts';
import type { Db, Tx } from '../../../platform/database/database.ts';
import { blocksOn, withBlockedBy } from '../../../platform/database/policies.ts';
import { rowsOf } from '../../../platform/database/schema.ts';
import { grant, type NewGrant, type OAuthClient, oauthClient, type TokenHashes } from './schema.ts';

const clientRows = rowsOf(oauthClient);
const { all, toRow, fromRow } = rowsOf(grant);

/** Rows that one write may delete, so that other writes do not wait long. */
const rowsPerDelete = 1_000;

/** `since`: no more than `perNetwork` of one network after this time. Beyond `waiting` without a grant, the oldest go. */
interface ClientBounds {
  since: string;
  perNetwork: number;
  waiting: number;
}

/** False if the network has registered too many. */
export async function addClient(
  tx: Tx,
  client: OAuthClient,
  { since, perNetwork, waiting }: ClientBounds,
): Promise<boolean> {
  const ofNetwork = tx.selectFrom('oauth_clients').where('network', '=', client.network);
  if ((await countRows(ofNetwork.where('created_at', '>', since))) >= perNetwork) return false;
  const old = await withoutGrant(tx)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(waiting - 1)
    .limit(rowsPerDelete)
    .execute();
  await deleteClients(tx, old);
  await tx.insertInto('oauth_clients').values(clientRows.toRow(client)).execute();
  return true;
}

export const findClient = (db: Db, id: string): Promise<OAuthClient | undefined> =>
  clientRows.first(db.selectFrom('oauth_clients').selectAll().where('id', '=', id));

/** False if the person has `max` grants. */
export async function addGrant({ tx, audit }: Writing, added: NewGrant, max: number): Promise<boolean> {
  const now = added.created_at;
  await tx
    .deleteFrom('oauth_grants')
    .where('user_id', '=', added.user_id)
    .where('expires_at', '<=', now)
    .execute();
  if ((await countRows(tx.selectFrom('oauth_grants').where('user_id', '=', added.user_id))) >= max)
    return false;
  await tx.insertInto('oauth_grants').values(toRow(added)).execute();
  const client = await tx
    .updateTable('oauth_clients')
    .set({ used_at: now })
    .where('id', '=', added.client_id)
    .returning('name')
    .executeTakeFirstOrThrow();
  const detail = `${added.scopes.join(' ')} for ${new URL(added.redirect_uri).host || added.redirect_uri}`;
  await audit({ act: 'grant.made', subject_id: added.id, subject_name: client.name, detail });
  return true;
}

/** What a client must prove when it uses its code. */
interface CodeProof {
  code_hash: string;
  now: string;
  matches(grant: Pick<NewGrant, 'client_id' | 'redirect_uri' | 'resource' | 'code_challenge'>): boolean;
}

/** Uses the code up, and returns its scopes. A code that was used before revokes its grant. Undefined if it does not work. */
export async function useCode(
  context: Writing,
  { code_hash, now, matches }: CodeProof,
  tokens: TokenHashes,
): Promise<string[] | undefined> {
  const { tx } = context;
  const found = await selectGrant(tx).where('code_hash', '=', code_hash).executeTakeFirst();
  if (!found) return undefined;
  if (found.used_at !== null) return revoke(context, found, 'its code was used twice');
  if (found.suspended_at !== null || found.code_expires_at <= now || !matches(found)) return undefined;
  // An assistant that is connected again has lost its tokens.
  await tx
    .deleteFrom('oauth_grants')
    .where('user_id', '=', found.user_id)
    .where('client_id', '=', found.client_id)
    .where('id', '!=', found.id)
    .execute();
  await tx.updateTable('oauth_grants').set(tokens).where('id', '=', found.id).execute();
  return fromRow({ scopes: found.scopes }).scopes;
}

interface RefreshProof {
  family_hash: string;
  refresh_hash: string;
  now: string;
  /** A token that was used after this time may be sent once more. */
  leewaySince: string;
  matches(grant: Pick<NewGrant, 'client_id' | 'resource'>): boolean;
  /** Whether this token gave that pair, which only the token itself can open. */
  gave(successor: string): boolean;
}

/**
 * Replaces both tokens, and keeps them sealed as `successor`. A refresh token that was used before gets that `successor` for a
 * short while, and then revokes its grant. Undefined if it does not work.
 */
export async function refresh(
  context: Writing,
  { family_hash, refresh_hash, now, leewaySince, matches, gave }: RefreshProof,
  tokens: TokenHashes & { successor: string },
): Promise<{ scopes: string[]; successor?: string } | undefined> {
  const { tx } = context;
  const found = await selectGrant(tx).where('family_hash', '=', family_hash).executeTakeFirst();
  if (!found || found.expires_at <= now || !matches(found)) return undefined;
  const { successor, used_at } = found;
  const isCurrent = found.refresh_hash === refresh_hash;
  const isSentAgain = (used_at ?? '') >= leewaySince && successor !== null && gave(successor);
  if (!isCurrent && !isSentAgain) return revoke(context, found, 'a refresh token was used twice');
  if (found.suspended_at !== null) return undefined;
  const { scopes } = fromRow({ scopes: found.scopes });
  if (!isCurrent && successor !== null) return { scopes, successor };
  await tx.updateTable('oauth_grants').set(tokens).where('id', '=', found.id).execute();
  return { scopes };
}

/** The grant of an access token of an account that is not suspended. The caller checks whether the token has expired. */
export async function findByAccess(db: Db, accessHash: string) {
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
}

/** Revokes the grant of this access or refresh token, if it is of this client. */
export async function revokeByToken(context: Writing, tokenHash: string, clientId: string): Promise<void> {
  const found = await selectGrant(context.tx)
    .where((eb) => eb.or([eb('access_hash', '=', tokenHash), eb('refresh_hash', '=', tokenHash)]))
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  if (found) await revoke(context, found, 'by the assistant');
}

/** Newest first. */
export const list = (db: Db, userId: string, now: string) =>
  all(
    db
      .selectFrom('oauth_grants as given')
      .innerJoin('oauth_clients as client', 'client.id', 'given.client_id')
      .select(['given.id', 'given.redirect_uri', 'given.scopes', 'given.created_at', 'given.expires_at'])
      .select(({ ref }) => ['client.name as client_name', ref('given.used_at').$notNull().as('used_at')])
      .where('given.user_id', '=', userId)
      .where('given.used_at', 'is not', null)
      .where('given.expires_at', '>', now)
      .orderBy('given.created_at', 'desc')
      .orderBy('given.id', 'desc'),
  );

export const find = (db: Db, userId: string, id: string) =>
  selectGrant(db).where('given.id', '=', id).where('user_id', '=', userId).executeTakeFirst();

/** Forgets grants that have ended, and clients without a grant: `unusedBefore` if no person ever allowed them anything. */
export async function forget(
  tx: Tx,
  now: string,
  { unusedBefore, usedBefore }: { unusedBefore: string; usedBefore: string },
): Promise<void> {
  await tx.deleteFrom('oauth_grants').where('expires_at', '<=', now).execute();
  const old = await withoutGrant(tx)
    .where((eb) =>
      eb.or([
        eb('used_at', '<', usedBefore),
        eb.and([eb('used_at', 'is', null), eb('created_at', '<', unusedBefore)]),
      ]),
    )
    .limit(rowsPerDelete)
    .execute();
  await deleteClients(tx, old);
}

const selectGrant = (db: Db) =>
  db
    .selectFrom('oauth_grants as given')
    .innerJoin('users', 'users.id', 'given.user_id')
    .selectAll('given')
    .select('users.suspended_at');

const withoutGrant = (tx: Tx) =>
  tx
    .selectFrom('oauth_clients')
    .select('id')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('oauth_grants').select('oauth_grants.id').whereRef('client_id', '=', 'oauth_clients.id'),
        ),
      ),
    );

async function deleteClients(tx: Tx, clients: { id: string }[]): Promise<void> {
  const ids = clients.map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom('oauth_clients').where('id', 'in', ids).execute();
}

export async function revoke(
  { tx, audit }: Writing,
  found: { id: string; user_id: string; client_id: string },
  detail?: string,
): Promise<undefined> {
  await tx.deleteFrom('oauth_grants').where('id', '=', found.id).execute();
  const client = await findClient(tx, found.client_id);
  await audit({
    act: 'grant.revoked',
    actor_id: found.user_id,
    subject_id: found.id,
    subject_name: client?.name ?? null,
    ...(detail === undefined ? {} : { detail }),
  });
}
