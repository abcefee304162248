import { Readable } from 'node:stream';
import { z } from 'zod';
import type { AuditFilter } from '../../domain/audit.ts';
import type { StreamContext } from '../../kernel/context.ts';
import { eventsAsCsv } from './acts.ts';

/** What both downloads declare. */
export const csvAnswer = {
  cost: 5,
  answer: z.string(),
  responses: { 200: z.string() },
  wire: { csv: true },
} as const;

export function sendCsv(context: StreamContext, filter: AuditFilter) {
  const { reply, request } = context;
  reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', 'attachment; filename="steno-audit.csv"');
  // Fastify would read a stream to its end for HEAD.
  return reply.send(request.method === 'HEAD' ? '' : Readable.from(eventsAsCsv(context, filter)));
}
