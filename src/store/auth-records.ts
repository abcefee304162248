import { type ExpressionBuilder, type ExpressionWrapper, type Kysely, type SqlBool, sql } from 'kysely';
import type { AuthCondition, AuthRecords, AuthRow } from '../ports/identity-store.ts';
import type { Database, Db } from './database.ts';

/** Which tables the sign-in library may touch; it names them itself, so they are checked and not typed. */
const tables = new Set(['users', 'sessions', 'verifications']);
type AnyTable = Record<string, AuthRow>;

/**
 * The library's rows through our own writer: each write is one `database.write`, so on SQLite it shares the group commit
 * instead of racing it, and on both databases it is on disk before anyone is told.
 */
export function createAuthRecords(database: Database): AuthRecords {
  return {
    insert: (table, row) =>
      database.write((trx) =>
        anyTable(trx, table).insertInto(table).values(row).returningAll().executeTakeFirstOrThrow(),
      ),

    find(table, conditions, { limit, offset, sort } = {}) {
      let query = anyTable(database.db, table).selectFrom(table).selectAll().where(all(conditions));
      if (sort) query = query.orderBy(sql.ref(sort.column), sort.direction);
      if (limit !== undefined) query = query.limit(limit);
      if (offset !== undefined && offset > 0) query = query.offset(offset);
      return query.execute();
    },

    async count(table, conditions) {
      const row = await anyTable(database.db, table)
        .selectFrom(table)
        .select(sql<number>`count(*)`.as('rows'))
        .where(all(conditions))
        .executeTakeFirst();
      return Number(row?.rows ?? 0);
    },

    update: (table, conditions, changes) =>
      database.write((trx) =>
        anyTable(trx, table).updateTable(table).set(changes).where(all(conditions)).returningAll().execute(),
      ),

    remove: (table, conditions, { first = false } = {}) =>
      database.write((trx) => {
        const db = anyTable(trx, table);
        const query = db.deleteFrom(table).returningAll();
        if (!first) return query.where(all(conditions)).execute();
        const ids = db.selectFrom(table).select('id').where(all(conditions)).limit(1);
        return query.where('id', 'in', ids).execute();
      }),
  };
}

/** Kysely's types end where a table is named at run time. */
function anyTable(db: Db, table: string): Kysely<AnyTable> {
  if (!tables.has(table)) throw new Error(`the sign-in library asked for the table ${table}`);
  return db as unknown as Kysely<AnyTable>;
}

/** The AND conditions together, and at least one of the OR conditions where there are any. */
function all(conditions: AuthCondition[]) {
  return (eb: ExpressionBuilder<AnyTable, string>): ExpressionWrapper<AnyTable, string, SqlBool> => {
    const expressions = (connector: AuthCondition['connector']) =>
      conditions.filter((condition) => condition.connector === connector).map((one) => express(eb, one));
    const either = expressions('OR');
    return eb.and([...expressions('AND'), ...(either.length > 0 ? [eb.or(either)] : [])]);
  };
}

function express(eb: ExpressionBuilder<AnyTable, string>, { column, operator, value }: AuthCondition) {
  if (value === null) return eb(column, operator === '<>' ? 'is not' : 'is', null);
  if (Array.isArray(value) && value.length === 0) return eb.lit(operator === 'not in');
  return eb(column, operator, value);
}
