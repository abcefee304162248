import { AppError, forbidden } from '../../domain/errors.ts';
import { estimateTokens, promptTokens, type TokenCount } from '../../domain/language.ts';
import type { Plans } from '../../domain/plans.ts';
import { dayInWords, monthOf } from '../../domain/usage.ts';
import type { LanguageWriter, WriteRequest } from '../../engines/ports/writer.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { countTokens, personOf, tokensOf } from './queries.ts';

interface Dependencies {
  writer: LanguageWriter;
  database: Database;
  plans: Plans;
  clock: Clock;
}

/** Asks before each request whether this person may, and counts its tokens, however it ends. */
export function createMeteredWriter({ writer, database, plans, clock }: Dependencies): LanguageWriter {
  async function check(userId: string): Promise<void> {
    const month = monthOf(clock());
    const person = await personOf(database.db, userId);
    if (!person) throw forbidden('This account is gone.');
    if (person.isBlocked)
      throw forbidden("Your workspace's policy turns off language models; ask one of its admins.");
    if (!person.isAllowed) throw forbidden('You have turned language models off in your settings.');
    const { llmTokensPerMonth: limit } = plans[person.plan];
    if (limit !== null && (await tokensOf(database.db, userId, month)) >= limit)
      throw new AppError(
        'quota_exceeded',
        `The ${limit} tokens of this month are used; the quota resets on ${dayInWords(month.until)}.`,
      );
  }

  return {
    isOn: writer.isOn,
    status: writer.status,
    async *write(request: WriteRequest) {
      if (writer.isOn) await check(request.userId);
      let tokens: TokenCount | undefined;
      let answer = '';
      try {
        for await (const part of writer.write(request)) {
          if (part.kind === 'end') tokens = part.tokens;
          else answer += part.text;
          yield part;
        }
      } finally {
        // A model that was asked has worked, also when its answer broke off or its client had left.
        tokens ??= { prompt: answer === '' ? 0 : promptTokens(request), answer: estimateTokens(answer) };
        if (tokens.prompt + tokens.answer > 0)
          await countTokens(database, request.userId, tokens, new Date(clock()).toISOString());
      }
    },
  };
}
