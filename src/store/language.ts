import { sql } from 'kysely';
import type { Period } from '../domain/usage.ts';
import type { LanguageStore } from '../ports/language-store.ts';
import type { Database } from './database.ts';
import { blocksOn, withBlockedBy } from './policies.ts';

export function createLanguageStore(database: Database): LanguageStore {
  const { db } = database;

  async function tokens(userId: string, { from, until }: Period): Promise<number> {
    // PostgreSQL returns the sum of bigints as text, and the sum of no rows is null.
    const { sum } = await db
      .selectFrom('language_usage')
      .select(sql<number | string | null>`sum(prompt_tokens + answer_tokens)`.as('sum'))
      .where('user_id', '=', userId)
      .where('day', '>=', from.slice(0, 10))
      .where('day', '<', until.slice(0, 10))
      .executeTakeFirstOrThrow();
    return Number(sum ?? 0);
  }

  return {
    async person(userId, period) {
      const found = await db
        .selectFrom('users')
        .leftJoin('language_settings as wish', 'wish.user_id', 'users.id')
        .select(['users.plan', 'wish.is_allowed', ...blocksOn('users.id')])
        .where('users.id', '=', userId)
        .executeTakeFirst();
      if (!found) return undefined;
      const { plan, is_allowed, blocked_by } = withBlockedBy(found);
      return {
        plan,
        isBlocked: blocked_by.includes('language models'),
        isAllowed: is_allowed !== 0,
        tokens: await tokens(userId, period),
      };
    },

    async count(userId, { prompt, answer }, now) {
      await database.write(async (trx) => {
        if (!(await database.holdAccount(trx, userId))) return;
        await trx
          .insertInto('language_usage')
          .values({ user_id: userId, day: now.slice(0, 10), prompt_tokens: prompt, answer_tokens: answer })
          .onConflict((conflict) =>
            conflict.columns(['user_id', 'day']).doUpdateSet({
              prompt_tokens: sql`language_usage.prompt_tokens + excluded.prompt_tokens`,
              answer_tokens: sql`language_usage.answer_tokens + excluded.answer_tokens`,
            }),
          )
          .execute();
      });
    },

    tokens,
  };
}
