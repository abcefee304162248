import type pg from 'pg';
import { createGather } from '../../lib/gather.ts';
import { objectMaker } from '../../lib/shape.ts';
import type { ReadParameter } from './database.ts';
import { prepared, quickAnswerTimeoutMs } from './postgres-connection.ts';
import { unavailable } from './unusable.ts';

type Row = Record<string, unknown>;
type Parameters = readonly ReadParameter[];

/** Columns that the statement adds to the columns of the text; they come last. */
const added = new Set(['nth', 'place']);
const maxBatch = 100;
const maxRunning = 2;

/**
 * Reads with the same text that arrive together are one statement: their parameters become rows, and the text is run for
 * each of them. So 32 clients that read a note cost PostgreSQL and the driver one statement instead of 32
 * (docs/decisions/0086-postgres-at-speed.md).
 */
export function createGatheredReads(pool: pg.Pool) {
  const readers = new Map<string, (parameters: Parameters) => Promise<Row[]>>();

  return (text: string, parameters: Parameters): Promise<Row[]> => {
    const types = parameters.map((value) => (typeof value === 'number' ? 'bigint' : 'text'));
    const key = `${types.join()} ${text}`;
    let read = readers.get(key);
    if (!read) {
      read = createReader(pool, text, types);
      readers.set(key, read);
    }
    return read(parameters);
  };
}

function createReader(pool: pg.Pool, read: string, types: readonly string[]) {
  const text = forMany(read, types);
  let toRow: ((values: unknown[]) => Row) | undefined;

  async function readAll(calls: Parameters[]): Promise<Row[][]> {
    const values = types.map((_, column) => calls.map((parameters) => parameters[column]));
    const query = { ...prepared(text, values, quickAnswerTimeoutMs), rowMode: 'array' as const };
    const { fields, rows } = await pool.query<unknown[]>(query);
    toRow ??= objectMaker(fields.flatMap(({ name }) => (added.has(name) ? [] : [name])));
    const answers: Row[][] = calls.map(() => []);
    for (const row of rows) answers[Number(row.at(-1)) - 1]?.push(toRow(row));
    return answers;
  }

  return createGather(readAll, {
    maxBatch,
    maxRunning,
    mayRunAlone: (cause) => unavailable(cause) === undefined,
  });
}

/**
 * A lateral join runs the text once for each row of parameters. PostgreSQL promises the order of a join only with `order by`,
 * so the rows of a list are numbered.
 */
function forMany(text: string, types: readonly string[]): string {
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
  const names = types.map((_, index) => `p${index + 1}`).join(', ');
  const body = text.replaceAll(/\$(\d+)/g, 'asked.p$1');
  const isList = /\border by\b/.test(text);
  const answer = isList ? `select one.*, row_number() over () as nth from (${body}) as one` : body;
  return `select answer.*, asked.place from unnest(${arrays}) with ordinality as asked (${names}, place),
    lateral (${answer}) as answer${isList ? ' order by place, nth' : ''}`;
}
