import { AppError } from '../domain/errors.ts';
import type { Db } from './database.ts';

/**
 * Inside a write: the person whose row is about to be stored still has an account. owner_id can have no foreign key
 * because it may be a space (which has space_id for that), and a call may be on its way while its user is removed:
 * without this its row would stay behind for ever. Raises `invalid_api_key`, what the next call will hear as well.
 */
export async function requireOwner(
  trx: Db,
  { owner_id, space_id }: { owner_id: string; space_id: string | null },
): Promise<void> {
  if (space_id !== null) return;
  const user = await trx.selectFrom('users').select('id').where('id', '=', owner_id).executeTakeFirst();
  if (!user) throw new AppError('invalid_api_key', 'The account of this key was removed.');
}
