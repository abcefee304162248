import type { DatabaseSync } from 'node:sqlite';
import type { SearchClause } from '../domain/search-text.ts';
import { maxRankedMatches, type SearchIndex } from './database.ts';

/** Search by FTS5. Kysely knows no virtual tables, so these four statements are prepared here by hand. */
export function createSqliteSearch(reader: DatabaseSync, writer: DatabaseSync): SearchIndex {
  // The table is there only after the migrations, hence prepared at first use.
  let statements: ReturnType<typeof prepare> | undefined;
  const prepare = () => ({
    put: writer.prepare('insert or replace into note_search (rowid, owner, title, body) values (?, ?, ?, ?)'),
    remove: writer.prepare('delete from note_search where rowid = ?'),
    find: reader.prepare(
      // The owner only filters; a word in the title weighs four in the body.
      `select seq, rank from (
         select rowid as seq, bm25(note_search, 0.0, 4.0, 1.0) as rank from note_search
         where note_search match ? order by rowid desc limit ${maxRankedMatches}
       ) order by rank, seq desc limit ?`,
    ),
  });
  const prepared = () => {
    statements ??= prepare();
    return statements;
  };

  return {
    async put(_db, seq, ownerId, text) {
      prepared().put.run(seq, ownerToken(ownerId), text.title, text.body);
    },
    async remove(_db, seq) {
      prepared().remove.run(seq);
    },
    async find(ownerId, clauses, limit) {
      // bm25 is negative, the better the lower.
      const rows = prepared().find.all(matchExpression(ownerId, clauses), limit);
      return rows.map((row) => ({ seq: Number(row.seq), rank: -Number(row.rank) }));
    },
  };
}

const ownerToken = (ownerId: string) => ownerId.replaceAll('-', '');

/** Words hold letters, digits and marks only, so quoting them leaves nothing for FTS5 to read as syntax. */
const matchExpression = (ownerId: string, clauses: SearchClause[]): string =>
  `owner : "${ownerToken(ownerId)}" AND {title body} : (${clauses.map(clauseExpression).join(' AND ')})`;

function clauseExpression(clause: SearchClause): string {
  switch (clause.kind) {
    case 'word':
      return `"${clause.stem}"`;
    case 'phrase':
      return `"${clause.stems.join(' ')}"`;
    case 'prefix':
      return `("${clause.stem}" OR "${clause.prefix}" * OR "${clause.formPrefix}" *)`;
  }
}
