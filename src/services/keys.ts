import { type KeyKind, maxActiveKeysPerUser, newSecret, type StoredKey } from '../domain/api-key.ts';
import { AppError, notFound } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import { dayMs } from '../domain/rate-limit.ts';
import { defaultPersonalScopes, type PersonalScope } from '../domain/scopes.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyOwner, Store } from '../ports/store.ts';

export interface KeyDraft {
  kind: KeyKind;
  userId: string;
  workspaceId: string | null;
  name: string;
  scopes: readonly string[];
  expiresInDays?: number | undefined;
  description?: string | null | undefined;
}

/** A key just made: the secret is in this answer and nowhere else. */
export type IssuedKey = StoredKey & { key: string };

export type Keys = ReturnType<typeof createKeys>;

/** Keys as people and their agents handle them, and the three verbs the operator and workspace admins share. */
export function createKeys({ store, clock, newId }: { store: Store; clock: Clock; newId: NewId }) {
  const now = () => new Date(clock()).toISOString();

  /** A key that is not stored yet. */
  function draft(wanted: KeyDraft): { stored: StoredKey; secret: string } {
    const { secret, key_hash, key_prefix } = newSecret(wanted.kind);
    const at = clock();
    const { expiresInDays } = wanted;
    const stored: StoredKey = {
      id: newId(),
      kind: wanted.kind,
      user_id: wanted.userId,
      workspace_id: wanted.workspaceId,
      name: wanted.name,
      description: wanted.description ?? null,
      key_prefix,
      key_hash,
      scopes: [...wanted.scopes],
      last_used_at: null,
      expires_at: expiresInDays === undefined ? null : new Date(at + expiresInDays * dayMs).toISOString(),
      created_at: new Date(at).toISOString(),
    };
    return { stored, secret };
  }

  /** Raises `limit_reached` at five active personal keys. */
  async function issue(wanted: KeyDraft): Promise<IssuedKey> {
    const { stored, secret } = draft(wanted);
    const max = stored.kind === 'personal' ? maxActiveKeysPerUser : Number.POSITIVE_INFINITY;
    if ((await store.keys.insert(stored, max, stored.created_at)) === 'limit reached')
      throw new AppError(
        'limit_reached',
        `There may be at most ${maxActiveKeysPerUser} active keys; revoke one first.`,
      );
    return { ...stored, key: secret };
  }

  const listOf = (owner: KeyOwner) => store.keys.listActive(owner, now());

  /** Raises `not_found`; revoking twice is fine. */
  async function revokeOf(owner: KeyOwner, id: string): Promise<void> {
    if (!(await store.keys.revoke(owner, id, now()))) throw notFound('Key');
  }

  return {
    draft,
    issue,
    listOf,
    revokeOf,

    /** Raises `limit_reached` at five active keys. */
    create: (principal: Principal, wanted: PersonalKeyDraft) =>
      issue({
        kind: 'personal',
        userId: principal.userId,
        workspaceId: null,
        name: wanted.name,
        scopes: wanted.scopes ?? defaultPersonalScopes,
        expiresInDays: wanted.expires_in_days,
      }),

    /** The active ones, newest first. */
    list: (principal: Principal) => listOf({ userId: principal.userId }),

    /** Raises `not_found` for a key that is not the caller's; revoking twice is fine. */
    revoke: (principal: Principal, id: string) => revokeOf({ userId: principal.userId }, id),
  };
}

export interface PersonalKeyDraft {
  name: string;
  scopes?: readonly PersonalScope[] | undefined;
  expires_in_days?: number | undefined;
}
