import { hashSecret, looksLikeKey } from '../domain/api-key.ts';
import type { Principal } from '../domain/principal.ts';
import { expandScopes } from '../domain/scopes.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyStore, LiveKey } from '../ports/store.ts';

const maxCachedKeys = 10_000;
const touchEveryMs = 30_000;

export type Authentication = ReturnType<typeof createAuthentication>;

/** Turns a bearer token into a principal; one indexed read, then a cache that any change of keys or plans empties. */
export function createAuthentication({ keys, clock }: { keys: KeyStore; clock: Clock }) {
  const cache = new Map<string, Principal>();
  let cacheEpoch = keys.epoch();
  const used = new Map<string, number>();
  const timer = setInterval(() => saveLastUsed().catch(() => {}), touchEveryMs).unref();

  async function saveLastUsed(): Promise<void> {
    if (used.size === 0) return;
    const batch = [...used];
    used.clear();
    try {
      await keys.touch(new Map(batch.map(([id, at]) => [id, new Date(at).toISOString()])));
    } catch (cause) {
      for (const [id, at] of batch) used.set(id, Math.max(at, used.get(id) ?? 0));
      throw cause;
    }
  }

  function cached(hash: string, epoch: number): Principal | undefined {
    if (epoch !== cacheEpoch) {
      cache.clear();
      cacheEpoch = epoch;
    }
    return cache.get(hash);
  }

  async function find(hash: string): Promise<Principal | undefined> {
    // Taken before the read: a key revoked meanwhile is cached under an epoch that is already over.
    const epoch = keys.epoch();
    const key = await keys.findByHash(hash);
    if (!key) return undefined;
    const principal = toPrincipal(key);
    if (epoch === cacheEpoch) {
      if (cache.size >= maxCachedKeys) cache.clear();
      cache.set(hash, principal);
    }
    return principal;
  }

  function ifAlive(principal: Principal | undefined): Principal | undefined {
    if (!principal) return undefined;
    const now = clock();
    if (principal.expiresAt !== null && Date.parse(principal.expiresAt) <= now) return undefined;
    used.set(principal.key.id, now);
    return principal;
  }

  return {
    /** Undefined for every token that does not work now, whatever the reason. At once when the key is cached. */
    authenticate(token: string): Principal | undefined | Promise<Principal | undefined> {
      if (!looksLikeKey(token)) return undefined;
      const hash = hashSecret(token);
      const known = cached(hash, keys.epoch());
      return known ? ifAlive(known) : find(hash).then(ifAlive);
    },

    /** Writes the last-used times that are only in memory. */
    async close(): Promise<void> {
      clearInterval(timer);
      await saveLastUsed();
    },
  };
}

function toPrincipal(key: LiveKey): Principal {
  const shared = {
    userId: key.user_id,
    plan: key.plan,
    scopes: expandScopes(key.scopes),
    blockedBy: key.blocked_by,
    expiresAt: key.expires_at,
    key: { id: key.id, name: key.name },
  };
  return key.workspace_id === null
    ? { kind: 'personal', ...shared }
    : { kind: 'workspace', workspaceId: key.workspace_id, ...shared };
}
