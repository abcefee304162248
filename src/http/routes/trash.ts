import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { note, trashedNote } from '../../domain/note.ts';
import { cursor, dataOf, limit, noContent, pageOf, pathId, spaceId } from '../../kernel/schemas.ts';
import type { Trash } from '../../services/trash.ts';
import { principalOf } from '../request.ts';

const shownNote = note.meta({ id: 'Note' });
const shownTrashedNote = trashedNote.meta({ id: 'TrashedNote' });

const read = { credential: 'key', personal: 'notes:read', workspace: 'workspace:notes:read' } as const;
const write = { credential: 'key', personal: 'notes:write', workspace: 'workspace:notes:write' } as const;
const description = 'An extension of this server.';

export const trashRoutes =
  (trash: Trash): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/notes/trash',
      config: { access: read, tool: 'list_trash', errors: ['not_found'] },
      schema: {
        operationId: 'listTrash',
        summary: 'List deleted notes, the last deleted first',
        description,
        tags: ['Trash'],
        querystring: z.object({ limit: limit(100, 50), cursor, space_id: spaceId }),
        response: { 200: pageOf(shownTrashedNote) },
      },
      handler: (request) => trash.list(principalOf(request), request.query),
    });

    app.route({
      method: 'POST',
      url: '/notes/:id/restore',
      config: { access: write, tool: 'restore_note' },
      schema: {
        operationId: 'restoreNote',
        summary: 'Take a note out of the trash, back into its folder if that still exists',
        description,
        tags: ['Trash'],
        params: pathId,
        response: { 200: dataOf(shownNote) },
      },
      handler: async (request) => ({ data: await trash.restore(principalOf(request), request.params.id) }),
    });

    app.route({
      method: 'DELETE',
      url: '/notes/trash',
      config: { access: write, errors: ['not_found'] },
      schema: {
        operationId: 'emptyTrash',
        summary: 'Delete everything in the trash for good',
        description,
        tags: ['Trash'],
        querystring: z.object({ space_id: spaceId }),
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await trash.empty(principalOf(request), request.query);
        return reply.code(204).send();
      },
    });

    app.route({
      method: 'DELETE',
      url: '/notes/trash/:id',
      config: { access: write },
      schema: {
        operationId: 'purgeNote',
        summary: 'Delete a note of the trash for good',
        description: `${description} Its transcript, its revisions and the transcription that it was made from go with it.`,
        tags: ['Trash'],
        params: pathId,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await trash.purge(principalOf(request), request.params.id);
        return reply.code(204).send();
      },
    });
  };
