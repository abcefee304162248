import {
  type IssuedKey,
  type KeyOwner,
  maxActiveKeysPerUser,
  maxActiveKeysPerWorkspace,
  maxWorkspaceKeysPerUser,
  newKey,
  newSecret,
  type StoredKey,
} from '../domain/api-key.ts';
import { AppError, notFound } from '../domain/errors.ts';
import type { Authority } from '../domain/principal.ts';
import { dayMs } from '../domain/rate-limit.ts';
import { defaultPersonalScopes, workspaceWildcard } from '../domain/scopes.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { requireOperator, requireRole } from './roles.ts';

const hourMs = 3_600_000;

const limitReached = (what: string) => new AppError('limit_reached', `${what}; revoke one first.`);

export interface KeyDraft {
  name: string;
  /** If left out, a personal key gets the default scopes and a workspace key gets all. */
  scopes?: readonly string[] | undefined;
  /** If left out, the key does not expire. */
  expires_in_days?: number | undefined;
  description?: string | null | undefined;
  /** Addresses and networks from which the key works; if left out, it works from anywhere. */
  allowed_addresses?: readonly string[] | null | undefined;
  /** The creator of a workspace key. Only the operator may choose; if left out, it is the first admin. */
  user_id?: string | undefined;
}

export type Keys = ReturnType<typeof createKeys>;

/** Users reach their own keys and the keys of workspaces where they are an admin. */
export function createKeys({ store, clock, newId }: { store: Store; clock: Clock; newId: NewId }) {
  const now = () => new Date(clock()).toISOString();

  async function requireReach(authority: Authority, owner: KeyOwner): Promise<void> {
    switch (owner.kind) {
      case 'workspace':
        return requireRole(store, authority, owner.workspaceId, 'admin');
      case 'personal':
        if (authority.kind === 'operator' || authority.userId === owner.userId) return;
        throw notFound('User');
      case 'anyone':
        return requireOperator(authority);
    }
  }

  async function makerOf(authority: Authority, workspaceId: string, named: string | undefined) {
    if (authority.kind !== 'operator') return authority.userId;
    const maker = named ?? (await store.members.firstAdmin(workspaceId));
    if (!maker)
      throw new AppError('not_found', 'This workspace has no admin; say which user creates the key.');
    return maker;
  }

  return {
    /** Raises `limit_reached` if the person or the workspace has as many active keys as it can have. */
    async issue(
      authority: Authority,
      owner: Exclude<KeyOwner, { kind: 'anyone' }>,
      draft: KeyDraft,
    ): Promise<IssuedKey> {
      await requireReach(authority, owner);
      const isPersonal = owner.kind === 'personal';
      const { expires_in_days: days } = draft;
      const at = clock();
      const { key, ...stored } = newKey({
        id: newId(),
        kind: owner.kind,
        user_id: isPersonal ? owner.userId : await makerOf(authority, owner.workspaceId, draft.user_id),
        workspace_id: isPersonal ? null : owner.workspaceId,
        name: draft.name,
        description: draft.description ?? null,
        scopes: [...(draft.scopes ?? (isPersonal ? defaultPersonalScopes : [workspaceWildcard]))],
        expires_at: days === undefined ? null : new Date(at + days * dayMs).toISOString(),
        allowed_addresses: draft.allowed_addresses ? [...draft.allowed_addresses] : null,
        created_at: new Date(at).toISOString(),
      });
      const max = isPersonal ? maxActiveKeysPerUser : maxWorkspaceKeysPerUser;
      const { created_at } = stored;
      const outcome = await store.keys.insert(stored, max, created_at, { key }, maxActiveKeysPerWorkspace);
      if (outcome === 'workspace is full')
        throw limitReached(`A workspace can have at most ${maxActiveKeysPerWorkspace} active keys`);
      if (outcome === 'limit reached')
        throw limitReached(
          isPersonal
            ? `You can have at most ${max} active keys`
            : `One person can make at most ${max} active keys for workspaces`,
        );
      return { ...stored, key };
    },

    /** Active keys, newest first. */
    async list(authority: Authority, owner: KeyOwner): Promise<StoredKey[]> {
      await requireReach(authority, owner);
      return store.keys.listActive(owner, now());
    },

    /** A new secret for the same key; the old one works for `graceHours`. Raises `not_found`. */
    async rotate(
      authority: Authority,
      owner: KeyOwner,
      id: string,
      graceHours: number,
    ): Promise<IssuedKey & { old_key_expires_at: string }> {
      await requireReach(authority, owner);
      const { kind } = (await store.keys.listActive(owner, now())).find((key) => key.id === id) ?? {};
      if (!kind) throw notFound('Key');
      const { secret, ...proof } = newSecret(kind);
      const oldExpiresAt = new Date(clock() + graceHours * hourMs).toISOString();
      const shownOnce = { key: secret, old_key_expires_at: oldExpiresAt };
      const rotated = await store.keys.rotate(owner, id, proof, { now: now(), oldExpiresAt }, shownOnce);
      if (!rotated) throw notFound('Key');
      return { ...rotated, ...shownOnce };
    },

    /** Raises `not_found` for the key of another owner. A key may be revoked twice. */
    async revoke(authority: Authority, owner: KeyOwner, id: string): Promise<void> {
      await requireReach(authority, owner);
      if (!(await store.keys.revoke(owner, id, now()))) throw notFound('Key');
    },
  };
}
