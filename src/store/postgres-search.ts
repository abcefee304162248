import { sql } from 'kysely';
import type { SearchClause, SearchText } from '../domain/search-text.ts';
import { type Db, maxRankedMatches, type SearchIndex } from './database.ts';

const maxPosition = 16_383;
const maxPositionsOfAWord = 255;
/** Of D, C, B and A: a word in the title (A) weighs four in the body (D), as on SQLite. */
const weights = '{0.25, 0.25, 0.25, 1}';

/** Search by tsvector. The words come ready cut from domain/search-text.ts, so no PostgreSQL dictionary touches them. */
export function createPostgresSearch(db: Db): SearchIndex {
  return {
    async put(trx, seq, ownerId, text) {
      const { vector, longText } = toVector(ownerId, text);
      await sql`
        insert into note_search (seq, words, long_text) values (${seq}, ${vector}::tsvector, ${longText})
        on conflict (seq) do update set words = excluded.words, long_text = excluded.long_text`.execute(trx);
    },
    async remove(trx, seq) {
      await sql`delete from note_search where seq = ${seq}`.execute(trx);
    },
    async find(ownerId, clauses, limit) {
      const query = toQuery(ownerId, clauses, 'in sequence');
      const { rows } = await sql<{ seq: number; rank: number }>`
        select seq, ts_rank(${weights}, words, ${rankQuery(clauses)}::tsquery) as rank from (
          select seq, words from note_search
          where words @@ ${query}::tsquery ${orInLongText(ownerId, clauses)}
          order by seq desc limit ${maxRankedMatches}
        ) as newest
        order by rank desc, seq desc limit ${limit}`.execute(db);
      return rows;
    },
  };
}

/** A character of the private use area: no word of a text can begin with it (see search-text.ts). */
const ownerToken = (ownerId: string) => `\uE002${ownerId}`;

const quoted = (word: string) => `'${word}'`;

/** `'word':1A,7` …: the title's words weigh A, the body's D; a gap of one keeps a phrase from spanning the two. */
function toVector(ownerId: string, text: SearchText): { vector: string; longText: string | null } {
  const title = text.title === '' ? [] : text.title.split(' ');
  const body = text.body === '' ? [] : text.body.split(' ');
  const positions = new Map<string, string[]>();
  let fits = title.length + 1 + body.length <= maxPosition;
  const place = (word: string, position: number, weight: string) => {
    const known = positions.get(word);
    if (!known) positions.set(word, [`${Math.min(position, maxPosition)}${weight}`]);
    else if (known.length < maxPositionsOfAWord) known.push(`${Math.min(position, maxPosition)}${weight}`);
    else fits = false;
  };
  title.forEach((word, index) => {
    place(word, index + 1, 'A');
  });
  body.forEach((word, index) => {
    place(word, title.length + 2 + index, '');
  });
  const words = [...positions].map(([word, at]) => `${quoted(word)}:${at.join(',')}`);
  return {
    vector: [quoted(ownerToken(ownerId)), ...words].join(' '),
    longText: fits ? null : ` ${text.title} \n ${text.body} `,
  };
}

type Phrases = 'in sequence' | 'anywhere';

const toQuery = (ownerId: string, clauses: SearchClause[], phrases: Phrases): string =>
  [quoted(ownerToken(ownerId)), ...clauses.map((clause) => clauseQuery(clause, phrases))].join(' & ');

function clauseQuery(clause: SearchClause, phrases: Phrases): string {
  switch (clause.kind) {
    case 'word':
      return quoted(clause.stem);
    case 'phrase':
      return `(${clause.stems.map(quoted).join(phrases === 'in sequence' ? ' <-> ' : ' & ')})`;
    case 'prefix':
      return `(${quoted(clause.stem)} | ${quoted(clause.prefix)}:* | ${quoted(clause.formPrefix)}:*)`;
  }
}

/**
 * What a match is worth is asked for any of the words: with `&` PostgreSQL ranks by their distance, also to the owner,
 * which stands nowhere in the text, and that leaves numbers too small to tell a title from a body.
 */
const rankQuery = (clauses: SearchClause[]): string =>
  clauses.map((clause) => clauseQuery(clause, 'anywhere')).join(' | ');

/** Where positions are missing, a phrase is looked for in the text itself, among the few notes that have its words. */
function orInLongText(ownerId: string, clauses: SearchClause[]) {
  const phrases = clauses.filter((clause) => clause.kind === 'phrase');
  if (phrases.length === 0) return sql``;
  const found = phrases.map((phrase) => sql`position(${` ${phrase.stems.join(' ')} `} in long_text) > 0`);
  return sql`or (long_text is not null and words @@ ${toQuery(ownerId, clauses, 'anywhere')}::tsquery
    and ${sql.join(found, sql` and `)})`;
}
