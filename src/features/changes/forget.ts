import { dayMs } from '../../domain/rate-limit.ts';
import type { Context } from '../../kernel/context.ts';
import { isoAfter } from '../../lib/clock.ts';
import { forgetChanges } from './queries.ts';

/** Deletes the changes that are older than the settings say. */
export const forgetOld = ({ database, now, parts }: Context<unknown>): Promise<void> =>
  forgetChanges(database, isoAfter(now, -parts.config.changesDays * dayMs), now);
