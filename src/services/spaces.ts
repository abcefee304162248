import { notFound } from '../domain/errors.ts';
import type { Authority, Principal } from '../domain/principal.ts';
import { type Space, type SpaceChanges, type SpaceReach, slugOf } from '../domain/space.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { requireOperator, requireRole } from './roles.ts';

export interface SpaceDraft {
  name: string;
  description?: string | null | undefined;
  emoji?: string | null | undefined;
}

export type Spaces = ReturnType<typeof createSpaces>;

/** Members may read, admins may change. Archived spaces count as gone. */
export function createSpaces({ store, clock, newId }: { store: Store; clock: Clock; newId: NewId }) {
  const now = () => new Date(clock()).toISOString();

  async function requireChange(authority: Authority, reach: SpaceReach): Promise<void> {
    if (reach.kind === 'of any workspace') requireOperator(authority);
    else await requireRole(store, authority, reach.workspaceId, 'admin');
  }

  return {
    async list(authority: Authority, workspaceId: string): Promise<Space[]> {
      await requireRole(store, authority, workspaceId, 'member');
      return store.spaces.list(workspaceId);
    },

    /** The spaces of the workspace that the key belongs to. */
    async listForKey(principal: Principal): Promise<Space[]> {
      if (principal.kind !== 'workspace') throw notFound('Workspace');
      return store.spaces.list(principal.workspaceId);
    },

    async create(authority: Authority, workspaceId: string, draft: SpaceDraft): Promise<Space> {
      await requireRole(store, authority, workspaceId, 'admin');
      const at = now();
      return store.spaces.insert(workspaceId, {
        id: newId(),
        name: draft.name,
        slug: slugOf(draft.name),
        description: draft.description ?? null,
        emoji: draft.emoji ?? null,
        created_at: at,
        updated_at: at,
      });
    },

    /** Changes the given fields, never the slug. Raises `not_found`. */
    async update(authority: Authority, reach: SpaceReach, id: string, changes: SpaceChanges): Promise<Space> {
      await requireChange(authority, reach);
      const space = await store.spaces.update(reach, id, changes, now());
      if (!space) throw notFound('Space');
      return space;
    },

    /** Raises `not_found`, even for a space that is already archived. */
    async archive(authority: Authority, reach: SpaceReach, id: string): Promise<void> {
      await requireChange(authority, reach);
      if (!(await store.spaces.archive(reach, id, now()))) throw notFound('Space');
    },
  };
}
