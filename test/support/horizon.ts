import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../src/platform/database/database.ts';

/**
 * Waits until every transaction is over that is running now. On PostgreSQL one of any database, such as the migration of
 * another test, holds back what `changes` show.
 */
export async function allCommitted({ db, nextTransaction, changesHorizon }: Database): Promise<void> {
  const { next } = await db.selectNoFrom(nextTransaction.as('next')).executeTakeFirstOrThrow();
  const isOver = async () =>
    (await db.selectNoFrom(changesHorizon.as('at')).executeTakeFirstOrThrow()).at >= next;
  while (!(await isOver())) await sleep(5);
}
