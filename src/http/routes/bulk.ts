import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { maxBulkRows, rowError, rowsPerRequest, weightOfRows } from '../../domain/bulk.ts';
import { AppError } from '../../domain/errors.ts';
import type { Bulk } from '../../services/bulk.ts';
import type { Charge } from '../access.ts';
import { principalOf } from '../request.ts';
import { dataOf, idInput, parseWith } from '../schemas.ts';
import { sayIgnored, unknownNames, unknownRefusal } from '../strict.ts';
import { writeDictionary } from './dictionary.ts';
import { noteDraft } from './note-bodies.ts';
import { shownNote, writeNotes } from './notes.ts';
import { shownSnippet, snippetDraft, writeSnippets } from './snippets.ts';

/** Rows are checked one by one, in the handler: a wrong one must not refuse the others. */
function rowsOf(schema: z.ZodType) {
  const { $schema, ...described } = z.toJSONSchema(schema, { io: 'input' });
  return z.array(z.unknown().meta(described)).min(1).max(maxBulkRows);
}

const outcome = z.object({
  status: z.int().describe('What the answer to this row alone would have.'),
  error: rowError.nullable(),
});
const inOrder = 'One outcome for each row, in the order of the rows.';
const outcomesWith = <Data extends z.ZodType>(data: Data) =>
  dataOf(z.array(outcome.extend({ data: data.nullable() }))).describe(inOrder);

const about = `An extension of this server. Every row has its own outcome: one that is refused does not hold up the others. ${rowsPerRequest} rows count as one request in the rate limits, and so do fewer.`;

/** What a request with the same Idempotency-Key kept. */
const keptOf = ({ made }: FastifyRequest) => made?.kept;

export const bulkRoutes =
  (bulk: Bulk, charge: Charge): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'POST',
      url: '/notes/create-many',
      config: { idempotent: true, access: writeNotes },
      schema: {
        operationId: 'createNotes',
        summary: `Create up to ${maxBulkRows} notes`,
        description: `A row is a body of \`POST /notes/create\`. ${about}`,
        tags: ['Notes'],
        body: z.object({ notes: rowsOf(noteDraft) }),
        response: { 200: outcomesWith(shownNote) },
      },
      handler: async (request, reply) => {
        await chargeRows(request, reply, request.body.notes);
        const data = await bulk.alone(principalOf(request), async () => {
          const drafts = parsed(request, reply, 'notes', request.body.notes, noteDraft);
          return bulk.createNotes(principalOf(request), drafts, keptOf(request));
        });
        return { data };
      },
    });

    app.route({
      method: 'POST',
      url: '/snippets/create-many',
      config: { idempotent: true, access: writeSnippets },
      schema: {
        operationId: 'createSnippets',
        summary: `Create up to ${maxBulkRows} snippets`,
        description: `A row is a body of \`POST /snippets/create\`. ${about}`,
        tags: ['Snippets'],
        body: z.object({ snippets: rowsOf(snippetDraft) }),
        response: { 200: outcomesWith(shownSnippet) },
      },
      handler: async (request, reply) => {
        await chargeRows(request, reply, request.body.snippets);
        const data = await bulk.alone(principalOf(request), async () => {
          const drafts = parsed(request, reply, 'snippets', request.body.snippets, snippetDraft);
          return bulk.createSnippets(principalOf(request), drafts, keptOf(request));
        });
        return { data };
      },
    });

    app.route({
      method: 'POST',
      url: '/dictionary/delete-many',
      config: { idempotent: true, access: writeDictionary },
      schema: {
        operationId: 'deleteDictionaryWords',
        summary: `Delete up to ${maxBulkRows} dictionary words`,
        description: `The status of a word that was deleted is 204. ${about}`,
        tags: ['Dictionary'],
        body: z.object({ ids: rowsOf(z.uuid()) }),
        response: { 200: dataOf(z.array(outcome)).describe(inOrder) },
      },
      handler: async (request, reply) => {
        await chargeRows(request, reply, request.body.ids);
        const data = await bulk.alone(principalOf(request), async () => {
          const ids = parsed(request, reply, 'ids', request.body.ids, idInput);
          return bulk.deleteWords(principalOf(request), ids, keptOf(request));
        });
        return { data };
      },
    });

    /** The access hook has counted one request, before it knew the rows. */
    async function chargeRows(request: FastifyRequest, reply: FastifyReply, rows: readonly unknown[]) {
      const more = weightOfRows(rows.length) - 1;
      if (more > 0) await charge(principalOf(request), more, reply);
    }
  };

/** Each row as the service takes it, or why it does not. Names that a row may not have are told as those of a body are. */
function parsed<Schema extends z.ZodType>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: string,
  rows: readonly unknown[],
  schema: Schema,
): (z.output<Schema> | AppError)[] {
  const ignored: string[] = [];
  const read = rows.map((row, at) => {
    const unknown = unknownNames(row, schema);
    if (unknown.length > 0 && request.isStrict) return unknownRefusal(unknown);
    ignored.push(...unknown.map((name) => `${list}[${at}].${name}`));
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
