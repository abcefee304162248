import type { Recorder } from './audit.ts';
import type { Db } from './database.ts';

/** Inside a write. False if there is no such account. Tells the log only of a change. */
export async function giveRight(
  trx: Db,
  id: string,
  isOperator: boolean,
  record: Recorder,
): Promise<boolean> {
  const account = await trx.selectFrom('users').select('is_operator').where('id', '=', id).executeTakeFirst();
  if (!account || account.is_operator === Number(isOperator)) return account !== undefined;
  await trx
    .updateTable('users')
    .set({ is_operator: Number(isOperator) })
    .where('id', '=', id)
    .execute();
  await record(trx, { act: isOperator ? 'operator.given' : 'operator.taken', subject_id: id });
  return true;
}

/**
 * Inside a write. Whether the server would have no operator who can sign in without this one. Writes to the rows that it
 * counts, so that of two operators who leave, or suspend each other, at the same moment the second sees the first.
 */
export async function isLastOperator(trx: Db, userId: string): Promise<boolean> {
  const one = trx.selectFrom('users').select('is_operator').where('id', '=', userId);
  if ((await one.executeTakeFirst())?.is_operator !== 1) return false;
  const operators = await trx
    .updateTable('users')
    .set({ is_operator: 1 })
    .where('is_operator', '=', 1)
    .where('suspended_at', 'is', null)
    .returning('id')
    .execute();
  return operators.length === 1 && operators[0]?.id === userId;
}
