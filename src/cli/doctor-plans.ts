import { isDeepStrictEqual } from 'node:util';
import { defaultPlans, type Plan, type Plans, planNames } from '../domain/plans.ts';
import { type Check, ok } from '../domain/status.ts';

/** The plans in force. The check of the settings has already reported a bad plans file. */
export const checkPlans = (plans: Plans, file: string | undefined): Check[] =>
  planNames.map((name) => {
    const isChanged = !isDeepStrictEqual(plans[name], defaultPlans[name]);
    const origin = isChanged ? `; changed by ${file} (STENO_PLANS_FILE)` : '';
    return ok(`plan ${name}`, describe(plans[name]) + origin);
  });

const describe = (plan: Plan) =>
  [
    `${plan.requestsPerMinute} requests a minute`,
    `${plan.requestsPerDay} a day`,
    plan.wordsPerWeek === null ? 'unlimited words' : `${plan.wordsPerWeek} words a week`,
    plan.transcription
      ? `transcription of ${plan.audioMinutesPerMonth} audio minutes a month`
      : 'no transcription',
  ].join(', ');
