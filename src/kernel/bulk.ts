import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { maxBulkRows, type RowOutcome, refusedRow, rowError, rowsPerRequest } from '../domain/bulk.ts';
import { AppError, notFound } from '../domain/errors.ts';
import { sayIgnored, unknownNames, unknownRefusal } from '../platform/http/strict.ts';
import { Answered, type CommandContext, type Context } from './context.ts';
import type { Declaration } from './declaration.ts';
import { command, type Operation } from './operation.ts';
import { parseWith } from './schemas.ts';

const aboutRows = `An extension of this server. Every row has its own outcome: one that is refused does not hold up the others. ${rowsPerRequest} rows count as one request in the rate limits, and so do fewer.`;
const outcome = z.object({
  status: z.int().describe('What the answer to this row alone would have.'),
  error: rowError.nullable(),
});
export const inOrder = 'One outcome for each row, in the order of the rows.';

/** For the description of a bulk operation, after what it says of its rows. */
export const ofRows = (about: string) => `${about} ${aboutRows}`;

/** Rows are checked one by one, by `parseRows`: a wrong one must not refuse the others. */
export function rowsOf(schema: z.ZodType) {
  const { $schema, ...described } = z.toJSONSchema(schema, { io: 'input' });
  return z.array(z.unknown().meta(described)).min(1).max(maxBulkRows);
}

export const outcomesWith = <Data extends z.ZodType>(data: Data) =>
  z.array(outcome.extend({ data: data.nullable() }));

/** What is kept of a row for a request that is sent again: what it made, or why it made nothing. */
const receipts = z.object({
  rows: z.array(z.object({ status: z.int(), id: z.string().optional(), error: rowError.nullable() })),
});

interface Bulk<Row extends z.ZodType, Data, Prepared = z.output<Row>> {
  /** The field of the body that has the rows, and what a row is. */
  readonly rows: readonly [field: string, schema: Row];
  /** The name of a record in "… not found". */
  readonly resource: string;
  /** Reads a record that an earlier request made, for one with the same Idempotency-Key. */
  again(context: Context, id: string): Promise<Data | undefined>;
  /** Returns for each row what it made (`Answered` if its status is another one), or why it made nothing. */
  run(context: CommandContext, rows: readonly Prepared[]): Promise<readonly Outcome<Data>[]>;
  /** Runs before the transaction: what takes long, or awaits something else than queries. Returns one item for each row. */
  prepare?(context: Context, rows: readonly z.output<Row>[]): Promise<readonly Prepared[]>;
}
type Outcome<Data> = Data | Answered<Data> | AppError;

type About = Omit<Declaration<`POST /${string}`, never, never>, 'query' | 'body' | 'tool' | 'cost'>;

/** Creates many records in one transaction; each row has an outcome of its own. */
export function createMany<Row extends z.ZodType, Record extends z.ZodObject, Prepared = z.output<Row>>(
  given: About & Bulk<Row, z.input<Record> & { id: string }, Prepared> & { readonly record: Record },
): Operation {
  const { rows: _, resource, again, record, run, prepare, ...about } = given;
  return manyOf(about, given, {
    answer: outcomesWith(record),
    made: (data) => ({ status: 201, data, error: null }),
  });
}

/** Deletes many records in one transaction. A row is an id. */
export function deleteMany(given: About & Omit<Bulk<z.ZodType<string>, { id: string }>, 'again'>): Operation {
  const { rows: _, resource, run, ...about } = given;
  return manyOf(
    about,
    { ...given, again: async () => ({ id: '' }) },
    { answer: z.array(outcome), made: () => ({ status: 204, data: null, error: null }) },
  );
}

function manyOf<Row extends z.ZodType, Data extends { id: string }, Prepared>(
  about: About,
  { rows: [field, schema], resource, again, run, prepare }: Bulk<Row, Data, Prepared>,
  { answer, made }: { answer: z.ZodType; made(data: Data): RowOutcome<Data> },
): Operation {
  const operation = command({
    ...about,
    body: z.object({ [field]: rowsOf(schema) }),
    answer,
    once: {
      keep: (outcomes) => ({
        id: '',
        kept: {
          rows: (outcomes as RowOutcome<Data>[]).map(({ status, data, error }) => ({
            status,
            id: data?.id,
            error,
          })),
        },
      }),
      again: async (context, { kept }) => {
        const outcomes: RowOutcome<Data>[] = [];
        for (const { status, id = '', error } of receipts.parse(kept).rows) {
          const data = error ? undefined : await again(context, id);
          if (error) outcomes.push({ status, data: null, error });
          else outcomes.push(data ? { ...made(data), status } : refusedRow(notFound(resource)));
        }
        return outcomes;
      },
    },
    async prepare(context, input) {
      const { rows } = input as unknown as { rows: (z.output<Row> | AppError)[] };
      const valid = rows.filter((row): row is z.output<Row> => !(row instanceof AppError));
      // Without `prepare`, a row is what `run` takes: `Prepared` has that default.
      const prepared = prepare ? await prepare(context, valid) : (valid as readonly unknown[] as Prepared[]);
      return { rows, prepared };
    },
    async run(context, { prepared: { rows, prepared } }) {
      const done = [...(await run(context, prepared))];
      return rows.map((row) => {
        const result = row instanceof AppError ? row : (done.shift() ?? notFound(resource));
        if (result instanceof AppError) return refusedRow(result);
        if (!(result instanceof Answered)) return made(result);
        return { ...made(result.data), ...(result.status && { status: result.status }) };
      });
    },
  });
  return { ...operation, rows: { field, schema } };
}

/** Each row as the operation takes it, or why not. Names that a row may not have are told as those of a body are. */
export function parseRows<Schema extends z.ZodType>(
  request: FastifyRequest,
  reply: FastifyReply,
  { field, schema }: { field: string; schema: Schema },
): (z.output<Schema> | AppError)[] {
  const rows: readonly unknown[] = Object(request.body)[field];
  const ignored: string[] = [];
  const read = rows.map((row, at) => {
    const unknown = unknownNames(row, schema);
    if (unknown.length > 0 && request.isStrict) return unknownRefusal(unknown);
    ignored.push(...unknown.map((name) => `${field}[${at}].${name}`));
    try {
      return parseWith(schema, row);
    } catch (cause) {
      if (cause instanceof AppError) return cause;
      throw cause;
    }
  });
  sayIgnored(reply, ignored);
  return read;
}
