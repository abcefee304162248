import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { formsOf } from '../../domain/said.ts';

/** Whether a text has each of the words, as a part of a word too. */
export const says = (text: RawBuilder<unknown>, words: readonly string[]): RawBuilder<SqlBool> =>
  sql.join(
    words.map((word) => {
      const forms = formsOf(word).map((form) => sql`lower(${text}) like ${patternOf(form)} escape '\\'`);
      return sql`(${sql.join(forms, sql` or `)})`;
    }),
    sql` and `,
  );

const patternOf = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
