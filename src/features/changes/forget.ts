import { dayMs } from '../../domain/rate-limit.ts';
import type { Context } from '../../kernel/context.ts';
import { forgetChanges } from './queries.ts';

/** Deletes the changes that are older than the settings say. */
export const forgetOld = ({ database, now, parts }: Context<unknown>): Promise<void> =>
  forgetChanges(database, new Date(Date.parse(now) - parts.config.changesDays * dayMs).toISOString(), now);
