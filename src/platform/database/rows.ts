import { hash } from 'node:crypto';
import { conflict, serviceUnavailable } from '../../domain/errors.ts';
import type { Migration } from './migrate.ts';

/** What both databases store. */
export type Value = string | number | null | Uint8Array;
export type Row = readonly Value[];

export interface Table {
  name: string;
  columns: string[];
}

/** A whole database, read as rows of values that mean the same in both kinds. */
export interface Rows {
  /** All but the list of migrations: each kind of database has its own. What is referred to comes first. */
  readonly tables: readonly Table[];
  /** The last numbers that were given out, by table. They are never given out again. */
  readonly numbers: ReadonlyMap<string, number>;
  read(table: Table): AsyncIterable<Row>;
}

/** How many rows, and a digest that does not depend on their order. */
export interface TableDigest {
  rows: number;
  sha256: string;
}

/** Digests rows as they go by. */
function digesting(rows: AsyncIterable<Row>) {
  const sum = Buffer.alloc(32);
  let count = 0;
  return {
    async *[Symbol.asyncIterator](): AsyncGenerator<Row> {
      for await (const row of rows) {
        count += 1;
        const digest = hash('sha256', JSON.stringify(row.map(plain)), 'buffer');
        for (const [index, byte] of digest.entries()) sum[index] = (sum[index] ?? 0) ^ byte;
        yield row;
      }
    },
    result: (): TableDigest => ({ rows: count, sha256: sum.toString('hex') }),
  };
}

/** No two rows are equal, because each table has a key; so none cancels another. */
const plain = (value: Value) =>
  value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value;

/** Rows that are digested while they are read, and a check that the same were written. */
export function checked(rows: Rows) {
  const taken = new Map<string, ReturnType<typeof digesting>>();
  return {
    rows: {
      ...rows,
      read(table: Table) {
        const digested = digesting(rows.read(table));
        taken.set(table.name, digested);
        return digested;
      },
    },
    /** Returns the digest of each table. */
    async compare(written: Rows): Promise<Map<string, TableDigest>> {
      const digests = new Map<string, TableDigest>();
      for (const table of rows.tables) {
        const again = digesting(written.read(table));
        for await (const _ of again);
        const [before, after] = [taken.get(table.name)?.result(), again.result()];
        if (before?.rows !== after.rows || before.sha256 !== after.sha256)
          throw serviceUnavailable(
            `The table ${table.name} was not written as it was read (${before?.rows} and ${after.rows} rows); nothing was moved.`,
          );
        digests.set(table.name, after);
      }
      return digests;
    },
  };
}

/** Two versions would not have the same tables. */
export function requireCurrent(pending: readonly Migration[]): void {
  if (pending.length > 0)
    throw conflict(
      `This database is of an earlier version (${pending.length} migrations wait): start this Steno on it once, then move it.`,
    );
}

/** Tables after those that they refer to. */
export function inOrder<Named extends { name: string }>(
  tables: readonly Named[],
  references: readonly { table: string; needs: string }[],
): Named[] {
  const done = new Set<string>();
  const ordered: Named[] = [];
  while (ordered.length < tables.length) {
    const next = tables.find(
      ({ name }) =>
        !done.has(name) && references.every(({ table, needs }) => table !== name || done.has(needs)),
    );
    if (next === undefined) throw new Error('Tables refer to each other in a circle');
    done.add(next.name);
    ordered.push(next);
  }
  return ordered;
}
