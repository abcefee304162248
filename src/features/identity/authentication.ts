import { hashSecret, looksLikeKey } from '../../domain/api-key.ts';
import type { KeyPrincipal, Principal } from '../../domain/principal.ts';
import { chosenScopes, expandScopes } from '../../domain/scopes.ts';
import { hashSessionToken, looksLikeAgentToken } from '../../domain/session.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { saveLater } from '../../lib/saver.ts';
import type { Database } from '../../platform/database/database.ts';
import type { KeyStore, LiveKey } from '../../platform/database/keys.ts';
import { findByAccess } from './oauth/queries.ts';
import { looksLikeAccessToken } from './oauth/schema.ts';
import { type LiveToken, tokenFinder } from './sessions/queries.ts';

const maxCachedKeys = 10_000;
const touchEveryMs = 30_000;

export type Authentication = ReturnType<typeof createAuthentication>;

/** Turns a bearer token into a principal, with one indexed read. Keys are cached until any key or plan changes. */
export function createAuthentication({
  database,
  keys,
  clock,
  log,
}: {
  database: Database;
  keys: KeyStore;
  clock: Clock;
  log: Log;
}) {
  const findSession = tokenFinder(database, 'sessions');
  const findAgentToken = tokenFinder(database, 'agent_tokens');
  const cache = new Map<string, KeyPrincipal>();
  let cacheEpoch = keys.epoch();
  const used = new Map<string, { at: number; route: string | null }>();
  const lastUses = saveLater(used, {
    everyMs: touchEveryMs,
    log,
    what: 'when keys were last used',
    save: (batch) =>
      keys.touch(
        new Map([...batch].map(([id, { at, route }]) => [id, { at: new Date(at).toISOString(), route }])),
      ),
    putBack(id, use) {
      // A key that was used meanwhile has a later time.
      if (!used.has(id)) used.set(id, use);
    },
  });

  function cached(hash: string, epoch: number): KeyPrincipal | undefined {
    if (epoch !== cacheEpoch) {
      cache.clear();
      cacheEpoch = epoch;
    }
    return cache.get(hash);
  }

  async function findKey(hash: string): Promise<KeyPrincipal | undefined> {
    // Read before the key. If the key is revoked meanwhile, the epoch has moved on and the key is not cached.
    const epoch = keys.epoch();
    const key = await keys.findByHash(hash);
    if (!key) return undefined;
    const principal = toKeyPrincipal(key);
    if (epoch === cacheEpoch) {
      if (cache.size >= maxCachedKeys) cache.clear();
      cache.set(hash, principal);
    }
    return principal;
  }

  const ifAlive = <Found extends Principal>(principal: Found | undefined): Found | undefined =>
    principal && (principal.expiresAt === null || Date.parse(principal.expiresAt) > clock())
      ? principal
      : undefined;

  /** For a session token from a cookie or a bearer header. Undefined if it does not work now. */
  async function authenticateSession(token: string): Promise<Principal | undefined> {
    const hash = hashSessionToken(token);
    const session = hash === undefined ? undefined : await findSession(hash);
    return ifAlive(session && toSessionPrincipal(session));
  }

  async function authenticateAgent(token: string): Promise<Principal | undefined> {
    const found = await findAgentToken(hashSecret(token));
    return ifAlive(found && toAgentPrincipal(found));
  }

  async function authenticateGrant(token: string): Promise<Principal | undefined> {
    const found = await findByAccess(database.db, hashSecret(token));
    return ifAlive(found && toGrantPrincipal(found));
  }

  return {
    authenticateSession,

    /** Undefined if the token does not work now, whatever the reason. `route` is what it is used for; `byAssistant` if through `/mcp`. */
    async authenticate(
      token: string,
      route: string | null = null,
      { byAssistant = false } = {},
    ): Promise<Principal | undefined> {
      // Its audience is /mcp. Anywhere else it is nothing.
      if (looksLikeAccessToken(token)) return byAssistant ? authenticateGrant(token) : undefined;
      if (looksLikeAgentToken(token)) return authenticateAgent(token);
      if (!looksLikeKey(token)) return authenticateSession(token);
      const hash = hashSecret(token);
      const principal = ifAlive(cached(hash, keys.epoch()) ?? (await findKey(hash)));
      if (principal) used.set(principal.key.id, { at: clock(), route });
      return principal;
    },

    saveLastUsed: lastUses.saveNow,

    /** Saves last-used times that are only in memory. */
    close: lastUses.close,
  };
}

const callerOf = (found: Pick<LiveKey, 'user_id' | 'plan' | 'blocked_by' | 'expires_at'>) => ({
  userId: found.user_id,
  plan: found.plan,
  blockedBy: found.blocked_by,
  expiresAt: found.expires_at,
});

function toKeyPrincipal(key: LiveKey): KeyPrincipal {
  const shared = {
    ...callerOf(key),
    scopes: expandScopes(key.scopes),
    limitKey: key.id,
    allowedAddresses: key.allowed_addresses,
    key: { id: key.id, name: key.name },
  };
  return key.workspace_id === null
    ? { kind: 'personal', ...shared }
    : { kind: 'workspace', workspaceId: key.workspace_id, ...shared };
}

const toSessionPrincipal = (session: LiveToken): Principal => ({
  kind: 'session',
  ...callerOf(session),
  sessionId: session.id,
  isOperator: session.is_operator && !session.by_app_password,
  byAppPassword: session.by_app_password,
  scopes: chosenScopes,
  limitKey: `session:${session.user_id}`,
  allowedAddresses: null,
  key: null,
});

const toGrantPrincipal = (grant: NonNullable<Awaited<ReturnType<typeof findByAccess>>>): Principal => ({
  kind: 'personal',
  isGrant: true,
  ...callerOf(grant),
  scopes: expandScopes(grant.scopes),
  // One for all assistants of a person, who can connect many.
  limitKey: `assistants:${grant.user_id}`,
  allowedAddresses: null,
  key: { id: grant.id, name: grant.client_name },
});

const toAgentPrincipal = (token: LiveToken): Principal => ({
  kind: 'agent',
  ...callerOf(token),
  scopes: [],
  limitKey: `agent:${token.id}`,
  allowedAddresses: null,
  key: null,
});
