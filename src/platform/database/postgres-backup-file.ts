import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import pg from 'pg';
import { z } from 'zod';
import { invalid } from '../../domain/errors.ts';
import { syncToDisk } from './backup-file.ts';
import { copyOut } from './postgres-copy.ts';

const flushBytes = 1_048_576;
/** Ends the rows of a table, as in the files of pg_dump: a row has no such line, because `copy` doubles each backslash. */
export const endOfTable = '\\.';

/** The first line of the file. The rows of each table follow, in this order: what is referred to comes first. */
export const header = z.object({
  steno: z.literal('postgres'),
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  sequences: z.array(z.object({ name: z.string(), value: z.string(), is_called: z.boolean() })),
});
export type Header = z.infer<typeof header>;

export async function writeTables(client: pg.Client, file: string, found: Header): Promise<void> {
  const out = openSync(file, 'wx', 0o600);
  let batch: Uint8Array[] = [];
  let length = 0;
  const flush = () => {
    // One call may write less than it is given.
    for (let rest = Buffer.concat(batch); rest.length > 0; ) rest = rest.subarray(writeSync(out, rest));
    [batch, length] = [[], 0];
  };
  let failure: unknown;
  const add = (chunk: Uint8Array) => {
    if (failure) return;
    length += batch.push(chunk) && chunk.length;
    try {
      if (length >= flushBytes) flush();
    } catch (cause) {
      failure = cause;
    }
  };
  const counts: number[] = [];
  try {
    add(Buffer.from(`${JSON.stringify(found)}\n`));
    for (const { name, columns } of found.tables) {
      const list = columns.map(pg.escapeIdentifier).join(', ');
      counts.push(await copyOut(client, `copy ${pg.escapeIdentifier(name)} (${list}) to stdout`, add));
      add(Buffer.from(`${endOfTable}\n`));
      if (failure) throw failure;
    }
    flush();
  } finally {
    closeSync(out);
  }
  syncToDisk(file);
  await requireRows(file, counts);
}

/** Reads the file again: each table has as many rows as the server counted, and each row every column. */
async function requireRows(file: string, counts: readonly number[]): Promise<void> {
  const lines = linesOf(file);
  const { tables } = await readHeader(lines, file);
  for (const [index, { name, columns }] of tables.entries()) {
    let rows = 0;
    for await (const line of rowLines(lines)) {
      rows += 1;
      if (line.toString('latin1').split('\t').length !== columns.length) throw unlike(name);
    }
    if (rows !== counts[index]) throw unlike(name);
  }
}

const unlike = (table: string) => new Error(`the backup differs from the table ${table}`);

/** The rows of one table. */
async function* rowLines(lines: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error('the file ends within a table');
    if (value.length === endOfTable.length + 1 && value.toString('latin1', 0, 2) === endOfTable) return;
    yield value;
  }
}

/** The rows of one table, in batches. */
export async function* rowsOf(lines: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let batch: Buffer[] = [];
  let length = 0;
  for await (const line of rowLines(lines)) {
    length += batch.push(line) && line.length;
    if (length < 65_536) continue;
    yield Buffer.concat(batch);
    [batch, length] = [[], 0];
  }
  if (length > 0) yield Buffer.concat(batch);
}

export async function* linesOf(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(file, { highWaterMark: flushBytes })) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      yield bytes.subarray(start, end + 1);
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
  if (rest.length > 0) yield rest;
}

export async function readHeader(lines: AsyncGenerator<Buffer>, file: string): Promise<Header> {
  try {
    const { value } = await lines.next();
    return header.parse(JSON.parse(String(value)));
  } catch (cause) {
    throw invalid(
      `${file} is not a backup of Steno on PostgreSQL; give a place that "steno backup" wrote to. A file of pg_dump is restored with pg_restore.`,
      { cause },
    );
  }
}
