import { planNames } from '../../domain/plans.ts';
import { oldestKept } from '../../domain/revision.ts';
import type { Context } from '../../kernel/context.ts';
import { removeOlder } from './queries.ts';

/** Deletes what no plan keeps any more. */
export async function dropExpired({ database, now, parts }: Context<unknown>): Promise<void> {
  const revisionDays = Math.max(...planNames.map((name) => parts.plans[name].revisionDays));
  await database.write((tx) => removeOlder(tx, oldestKept({ revisionDays }, Date.parse(now))));
}
