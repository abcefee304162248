import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { maxBulkRows, weightOfRows } from '../../domain/bulk.ts';
import { inOrder, ofRows, outcomesWith, parseRows, rowsOf } from '../../kernel/bulk.ts';
import { dataOf } from '../../kernel/schemas.ts';
import type { Bulk } from '../../services/bulk.ts';
import type { Charge } from '../access.ts';
import { principalOf } from '../request.ts';
import { noteDraft } from './note-bodies.ts';
import { shownNote, writeNotes } from './notes.ts';

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
        description: ofRows('A row is a body of `POST /notes/create`.'),
        tags: ['Notes'],
        body: z.object({ notes: rowsOf(noteDraft) }),
        response: { 200: dataOf(outcomesWith(shownNote)).describe(inOrder) },
      },
      handler: async (request, reply) => {
        await chargeRows(request, reply, request.body.notes);
        const data = await bulk.alone(principalOf(request), async () => {
          const drafts = parseRows(request, reply, { field: 'notes', schema: noteDraft });
          return bulk.createNotes(principalOf(request), drafts, keptOf(request));
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
