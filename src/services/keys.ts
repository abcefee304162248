import {
  type IssuedKey,
  type KeyOwner,
  maxActiveKeysPerUser,
  newKey,
  type StoredKey,
} from '../domain/api-key.ts';
import type { Authority } from '../domain/authority.ts';
import { AppError, notFound } from '../domain/errors.ts';
import { dayMs } from '../domain/rate-limit.ts';
import { defaultPersonalScopes, workspaceWildcard } from '../domain/scopes.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { requireOperator, requireRole } from './roles.ts';

export interface KeyDraft {
  name: string;
  /** Left out: the usual ones of a personal key, everything for a workspace key. */
  scopes?: readonly string[] | undefined;
  /** Left out: the key does not expire. */
  expires_in_days?: number | undefined;
  description?: string | null | undefined;
  /** Only the operator chooses: who answers for a workspace key. Left out: the workspace's first admin. */
  user_id?: string | undefined;
}

export type Keys = ReturnType<typeof createKeys>;

/** Keys of people and of workspaces. People reach their own and those of workspaces they are admin of. */
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
      throw new AppError('not_found', 'This workspace has no admin; name the user who answers for the key.');
    return maker;
  }

  return {
    /** Raises `limit_reached` at five active personal keys. */
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
        created_at: new Date(at).toISOString(),
      });
      const max = isPersonal ? maxActiveKeysPerUser : Number.POSITIVE_INFINITY;
      if ((await store.keys.insert(stored, max, stored.created_at)) === 'limit reached')
        throw new AppError(
          'limit_reached',
          `There may be at most ${maxActiveKeysPerUser} active keys; revoke one first.`,
        );
      return { ...stored, key };
    },

    /** The active ones, newest first. */
    async list(authority: Authority, owner: KeyOwner): Promise<StoredKey[]> {
      await requireReach(authority, owner);
      return store.keys.listActive(owner, now());
    },

    /** Raises `not_found` for a key of someone else; revoking twice is fine. */
    async revoke(authority: Authority, owner: KeyOwner, id: string): Promise<void> {
      await requireReach(authority, owner);
      if (!(await store.keys.revoke(owner, id, now()))) throw notFound('Key');
    },
  };
}
