import type { TokenCount } from '../domain/language.ts';
import type { PlanName } from '../domain/plans.ts';
import type { Period } from '../domain/usage.ts';

export interface LanguageStore {
  /** What decides whether a person may use language models, with the tokens of the period. Undefined if there is nobody. */
  person(
    userId: string,
    period: Period,
  ): Promise<{ plan: PlanName; isBlocked: boolean; isAllowed: boolean; tokens: number } | undefined>;
  /** Adds the tokens of one request. */
  count(userId: string, tokens: TokenCount, now: string): Promise<void>;
  tokens(userId: string, period: Period): Promise<number>;
}
