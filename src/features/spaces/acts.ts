import type { Authority } from '../../domain/principal.ts';
import { authorize, type Reach } from '../../kernel/authorized.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { requireOperator, requireRole } from '../workspaces/access.ts';
import * as queries from './queries.ts';
import { type SpaceChanges, type SpaceDraft, slugOf } from './schema.ts';

/** What members, and the operator at the command line, do with spaces. Members may read, admins may change. */

/** Without a workspace it may be a space of any, which only the operator may name. */
interface Named {
  readonly workspaceId?: string;
  readonly id: string;
}

const changeable = authorize('Space', async (context: Reach<Authority>, named: Named) => {
  if (named.workspaceId === undefined) requireOperator(context.who);
  else await requireRole(context, named.workspaceId, 'admin');
  return queries.find(context.db, named);
});

export async function listSpaces(context: Reach<Authority>, workspaceId: string) {
  await requireRole(context, workspaceId, 'member');
  return queries.list(context.db, workspaceId);
}

export async function createSpace(
  context: CommandContext<Authority>,
  workspaceId: string,
  { name, description = null, emoji = null }: SpaceDraft,
) {
  const { tx, newId, now } = context;
  await requireRole(context, workspaceId, 'admin');
  const times = { created_at: now, updated_at: now };
  return queries.insert(tx, workspaceId, {
    id: newId(),
    name,
    slug: slugOf(name),
    description,
    emoji,
    ...times,
  });
}

export async function updateSpace(context: CommandContext<Authority>, named: Named, changes: SpaceChanges) {
  const found = await changeable(context, named);
  return queries.update(context.tx, found, { ...changes, updated_at: context.now });
}

export async function archiveSpace(context: CommandContext<Authority>, named: Named): Promise<void> {
  const found = await changeable(context, named);
  await queries.archive(context.tx, found, context.now);
  const { id, name, workspace_id } = found;
  await context.audit({ act: 'space.archived', workspace_id, subject_id: id, subject_name: name });
}
