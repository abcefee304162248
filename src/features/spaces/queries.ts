import type { Authorized } from '../../kernel/authorized.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { rowsOf } from '../../platform/database/schema.ts';
import { type Space, type SpaceChanges, space } from './schema.ts';

const { columns } = rowsOf(space);

/** Nothing here finds an archived space. */
const open = (db: Db) => db.selectFrom('spaces').where('archived_at', 'is', null);

export const list = (db: Db, workspaceId: string) =>
  open(db)
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** A space of this workspace; without one, of any. */
export function find(db: Db, { workspaceId, id }: { workspaceId?: string | undefined; id: string }) {
  const query = open(db).select(['id', 'name', 'workspace_id']).where('id', '=', id);
  return (
    workspaceId === undefined ? query : query.where('workspace_id', '=', workspaceId)
  ).executeTakeFirst();
}
type Found = Authorized<NonNullable<Awaited<ReturnType<typeof find>>>>;

/** A space of a workspace that the person is a member of. */
export const findShared = (db: Db, userId: string, id: string) =>
  open(db)
    .innerJoin('workspace_members as member', 'member.workspace_id', 'spaces.workspace_id')
    .select(columns.map((column) => `spaces.${column}` as const))
    .where('spaces.id', '=', id)
    .where('member.user_id', '=', userId)
    .executeTakeFirst();

export const isShared = async (db: Db, userId: string, id: string): Promise<boolean> =>
  (await findShared(db, userId, id)) !== undefined;

/** If the slug is taken, also by an archived space, it gets a number. */
export async function insert(tx: Tx, workspaceId: string, space: Space): Promise<Space> {
  const rows = await tx.selectFrom('spaces').select('slug').where('workspace_id', '=', workspaceId).execute();
  const taken = new Set(rows.map(({ slug }) => slug));
  let { slug } = space;
  for (let number = 2; taken.has(slug); number += 1) slug = `${space.slug}-${number}`;
  const made = { ...space, slug };
  await tx
    .insertInto('spaces')
    .values({ ...made, workspace_id: workspaceId })
    .execute();
  return made;
}

export const update = (tx: Tx, { id }: Found, changes: SpaceChanges & { updated_at: string }) =>
  tx.updateTable('spaces').set(changes).where('id', '=', id).returning(columns).executeTakeFirstOrThrow();

export const archive = (tx: Tx, { id }: Found, now: string) =>
  tx.updateTable('spaces').set({ archived_at: now, updated_at: now }).where('id', '=', id).execute();
