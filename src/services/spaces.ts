import { notFound } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { Space } from '../domain/space.ts';
import type { Store } from '../ports/store.ts';

export type Spaces = ReturnType<typeof createSpaces>;

export function createSpaces({ store }: { store: Store }) {
  return {
    /** The spaces of the key's workspace, archived ones left out. */
    async list(principal: Principal): Promise<Space[]> {
      if (principal.kind !== 'workspace') throw notFound('Workspace');
      return store.workspaces.listSpaces(principal.workspaceId);
    },
  };
}
