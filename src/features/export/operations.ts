import { z } from 'zod';
import { stream } from '../../kernel/operation.ts';
import { spaceId } from '../../kernel/schemas.ts';
import { ownerOf } from '../workspaces/access.ts';
import { archiveOf, recordExport } from './files.ts';

export const exportEverything = stream({
  http: 'GET /api/v1/export',
  access: { credential: 'key', personal: 'notes:read', workspace: 'workspace:notes:read' },
  cost: 5,
  summary: 'Get everything as one zip: Markdown, JSON lines and subtitles',
  description:
    'An extension of this server. A person can have one export at a time; another one is refused with 409 until the first has been received, or its client is gone.',
  query: z.object({ space_id: spaceId }),
  answer: z.string(),
  responses: { 200: z.string() },
  errors: ['not_found', 'concurrency_limit'],
  wire: { zip: true },
  audit: ['export.made'],
  // Each holds some rows, and the end of a file that its client has not taken yet.
  bound: { name: 'export', most: 1, inAll: 50 },
  async run(context, { query }) {
    const { request, reply, who } = context;
    reply.type('application/zip').header('content-disposition', 'attachment; filename="steno-export.zip"');
    // Fastify would read the whole zip before it answers HEAD.
    if (request.method === 'HEAD') return reply.send('');
    const { ownerId } = await ownerOf(context, query.space_id);
    await context.act((act) => recordExport(act, ownerId));
    // It is over when the client has everything, or is gone.
    return reply.send(await archiveOf(context, { ownerId, scopes: who.scopes }));
  },
});
