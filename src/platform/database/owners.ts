import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { AppError } from '../../domain/errors.ts';
import type { OwnerFilter } from '../../domain/owner.ts';
import type { Database, Db } from './database.ts';

/**
 * Inside a write: checks that the owner of a new row still has an account. A user may be deleted during a call, and the row
 * would stay for ever: owner_id has no foreign key, because it may be a space (which has space_id for that). Raises
 * `invalid_api_key`, like the next call will.
 */
export async function requireOwner(
  database: Database,
  trx: Db,
  { owner_id, space_id }: { owner_id: string; space_id: string | null },
): Promise<void> {
  if (space_id === null && !(await database.holdAccount(trx, owner_id))) throw accountDeleted();
}

export const accountDeleted = () => new AppError('invalid_api_key', 'The account of this key was deleted.');

/** The rows that a call by id may reach. */
export function reachableBy(filter: OwnerFilter): RawBuilder<SqlBool> {
  switch (filter.kind) {
    case 'owner':
      return sql`owner_id = ${filter.ownerId}`;
    case 'any space of':
      return sql`owner_id in (select spaces.id from spaces where workspace_id = ${filter.workspaceId} and archived_at is null)`;
    case 'member':
      return sql`(owner_id = ${filter.userId} or owner_id in (
        select spaces.id from spaces join workspace_members as member on member.workspace_id = spaces.workspace_id
        where member.user_id = ${filter.userId} and spaces.archived_at is null))`;
  }
}

/** Recordings and transcriptions: the caller's own, and the ones of notes in spaces that the call may reach. */
export function recordedFor(filter: OwnerFilter): RawBuilder<SqlBool> {
  if (filter.kind === 'owner') return sql`user_id = ${filter.ownerId}`;
  const isOfNote = sql<SqlBool>`exists (select 1 from notes
    where notes.id = note_id and notes.deleted_at is null and ${reachableBy(filter)})`;
  return filter.kind === 'member' ? sql`(user_id = ${filter.userId} or ${isOfNote})` : isOfNote;
}

/** Inside a write. */
export async function ownsFolder(trx: Db, ownerId: string, folderId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('folders')
    .select('id')
    .where('id', '=', folderId)
    .where('owner_id', '=', ownerId)
    .executeTakeFirst();
  return row !== undefined;
}
