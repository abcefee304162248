import { type Authority, operator } from '../domain/principal.ts';
import { dayMs } from '../domain/rate-limit.ts';
import { deliveriesKeptDays } from '../domain/webhook.ts';
import type { Actor } from '../kernel/context.ts';
import { asProgram } from '../kernel/run.ts';
import type { Clock } from '../lib/clock.ts';
import { forgetEvents } from './audit/acts.ts';
import { forgetOld } from './changes/forget.ts';
import { forgetOldAssistants } from './identity/oauth/connect.ts';
import { removeOlder as forgetLanguageJobs } from './language/jobs.ts';
import { dropExpired } from './revisions/expired.ts';
import { purgeExpired } from './trash/purge.ts';
import { removeDeliveries } from './webhooks/queries.ts';

const keptLanguageJobDays = 30;

const before = (clock: Clock, days: number) => new Date(clock() - days * dayMs).toISOString();

export const forgetOldAudit = ({ database, clock, parts }: Actor) =>
  forgetEvents(database, before(clock, parts.config.auditDays));

/** What a server does every hour, besides what recordings need. Several servers may do it at once. */
export function everyHour(actor: Actor): Record<string, () => Promise<unknown>> {
  const { database, clock } = actor;
  const look = () => asProgram<Authority>(actor, operator);
  const daysAgo = (days: number) => before(clock, days);
  return {
    'empty the trash': () => purgeExpired(look()),
    'drop old revisions': () => dropExpired(look()),
    'forget old changes': () => forgetOld(look()),
    'forget old audit events': () => forgetOldAudit(actor),
    'forget unused assistants': () => forgetOldAssistants(look()),
    'drop old deliveries of webhooks': () =>
      database.writeLocked((tx) => removeDeliveries(tx, daysAgo(deliveriesKeptDays))),
    'scrub the search index': () => database.search.scrub(),
    'forget old jobs of language models': () =>
      look().act(({ tx }) => forgetLanguageJobs(tx, daysAgo(keptLanguageJobDays))),
  };
}
