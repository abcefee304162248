import { hashSecret, looksLikeKey } from '../../domain/api-key.ts';
import type { KeyPrincipal, Principal } from '../../domain/principal.ts';
import { chosenScopes, expandScopes } from '../../domain/scopes.ts';
import { hashSessionToken, looksLikeAgentToken } from '../../domain/session.ts';
import type { Clock } from '../../lib/clock.ts';
import { describeFault, type Log } from '../../lib/log.ts';
import type { Database } from '../../platform/database/database.ts';
import type { KeyStore, LiveKey } from '../../platform/database/ports/store.ts';
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
  const timer = setInterval(() => {
    saveLastUsed().catch((cause: unknown) =>
      log.warn({ fault: describeFault(cause) }, 'Could not save when keys were last used; will try again'),
    );
  }, touchEveryMs).unref();

  async function saveLastUsed(): Promise<void> {
    if (used.size === 0) return;
    const batch = [...used];
    used.clear();
    try {
      await keys.touch(
        new Map(batch.map(([id, { at, route }]) => [id, { at: new Date(at).toISOString(), route }])),
      );
    } catch (cause) {
      // Keys used meanwhile have a later time, so these must not overwrite theirs.
      for (const [id, use] of batch) if (!used.has(id)) used.set(id, use);
      throw cause;
    }
  }

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

  const isOver = ({ expiresAt }: Principal, now: number) =>
    expiresAt !== null && Date.parse(expiresAt) <= now;

  function ifAlive(principal: KeyPrincipal | undefined, route: string | null): Principal | undefined {
    if (!principal) return undefined;
    const now = clock();
    if (isOver(principal, now)) return undefined;
    used.set(principal.key.id, { at: now, route });
    return principal;
  }

  /** For a session token from a cookie or a bearer header. Undefined if it does not work now. */
  async function authenticateSession(token: string): Promise<Principal | undefined> {
    const hash = hashSessionToken(token);
    const session = hash === undefined ? undefined : await findSession(hash);
    const principal = session && toSessionPrincipal(session);
    return principal && !isOver(principal, clock()) ? principal : undefined;
  }

  async function authenticateAgent(token: string): Promise<Principal | undefined> {
    const found = await findAgentToken(hashSecret(token));
    const principal = found && toAgentPrincipal(found);
    return principal && !isOver(principal, clock()) ? principal : undefined;
  }

  async function authenticateGrant(token: string): Promise<Principal | undefined> {
    const found = await findByAccess(database.db, hashSecret(token));
    const principal = found && toGrantPrincipal(found);
    return principal && !isOver(principal, clock()) ? principal : undefined;
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
      return ifAlive(cached(hash, keys.epoch()) ?? (await findKey(hash)), route);
    },

    saveLastUsed,

    /** Saves last-used times that are only in memory. */
    async close(): Promise<void> {
      clearInterval(timer);
      await saveLastUsed();
    },
  };
}

function toKeyPrincipal(key: LiveKey): KeyPrincipal {
  const shared = {
    userId: key.user_id,
    plan: key.plan,
    scopes: expandScopes(key.scopes),
    blockedBy: key.blocked_by,
    expiresAt: key.expires_at,
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
  sessionId: session.id,
  isOperator: session.is_operator && !session.by_app_password,
  byAppPassword: session.by_app_password,
  userId: session.user_id,
  plan: session.plan,
  scopes: chosenScopes,
  blockedBy: session.blocked_by,
  expiresAt: session.expires_at,
  limitKey: `session:${session.user_id}`,
  allowedAddresses: null,
  key: null,
});

const toGrantPrincipal = (grant: NonNullable<Awaited<ReturnType<typeof findByAccess>>>): Principal => ({
  kind: 'personal',
  isGrant: true,
  userId: grant.user_id,
  plan: grant.plan,
  scopes: expandScopes(grant.scopes),
  blockedBy: grant.blocked_by,
  expiresAt: grant.expires_at,
  // One for all assistants of a person, who can connect many.
  limitKey: `assistants:${grant.user_id}`,
  allowedAddresses: null,
  key: { id: grant.id, name: grant.client_name },
});

const toAgentPrincipal = (token: LiveToken): Principal => ({
  kind: 'agent',
  userId: token.user_id,
  plan: token.plan,
  scopes: [],
  blockedBy: token.blocked_by,
  expiresAt: token.expires_at,
  limitKey: `agent:${token.id}`,
  allowedAddresses: null,
  key: null,
});
