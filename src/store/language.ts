import { sql } from 'kysely';
import { defaultLanguageSettings, type LanguageSettings, languageSettings } from '../domain/action.ts';
import type { Period } from '../domain/usage.ts';
import type { LanguageStore } from '../ports/language-store.ts';
import type { Database, Db } from './database.ts';
import { blocksOn, withBlockedBy } from './policies.ts';
import { rowsOf } from './schema.ts';

const { fromRow, toRow } = rowsOf(languageSettings);

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
      const person = await personOf(db, userId);
      return person && { ...person, tokens: await tokens(userId, period) };
    },

    settings: (userId) => settingsOf(db, userId),

    setSettings(userId, changes) {
      return database.write(async (trx) => {
        const after = { ...(await settingsOf(trx, userId)), ...changes };
        const { allowed: is_allowed, ...wishes } = toRow(after);
        const row = { is_allowed, ...wishes };
        await trx
          .insertInto('language_settings')
          .values({ ...row, user_id: userId })
          .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
          .execute();
        return after;
      });
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

export async function personOf(db: Db, userId: string) {
  const found = await db
    .selectFrom('users')
    .leftJoin('language_settings as wish', 'wish.user_id', 'users.id')
    .select(['users.plan', 'wish.is_allowed', ...blocksOn('users.id')])
    .where('users.id', '=', userId)
    .executeTakeFirst();
  if (!found) return undefined;
  const { plan, is_allowed, blocked_by } = withBlockedBy(found);
  return { plan, isBlocked: blocked_by.includes('language models'), isAllowed: is_allowed !== 0 };
}

export async function settingsOf(db: Db, userId: string): Promise<LanguageSettings> {
  const row = await db
    .selectFrom('language_settings')
    .select(['is_allowed as allowed', 'titles', 'actions', 'folders'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row ? fromRow(row) : defaultLanguageSettings;
}
