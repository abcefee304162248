import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { folder, maxFolderNameLength } from '../../domain/folder.ts';
import {
  dataOf,
  label,
  noContent,
  optionalBody,
  pageOf,
  pathId,
  spaceId,
  whole,
} from '../../kernel/schemas.ts';
import type { Folders } from '../../services/folders.ts';
import { byId, once } from '../idempotency.ts';
import { principalOf } from '../request.ts';

const shownFolder = folder.meta({ id: 'Folder' });
const write = { credential: 'key', personal: 'notes:write', workspace: 'workspace:folders:write' } as const;

export const folderRoutes =
  (folders: Folders): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/folders/list',
      config: {
        access: { credential: 'key', personal: 'notes:read', workspace: 'workspace:folders:read' },
        tool: 'list_folders',
        errors: ['not_found'],
      },
      schema: {
        operationId: 'listFolders',
        summary: 'List all folders',
        tags: ['Folders'],
        querystring: z.object({ space_id: spaceId }),
        response: { 200: pageOf(shownFolder) },
      },
      handler: async (request) => ({
        ...whole,
        data: await folders.list(principalOf(request), request.query),
      }),
    });

    app.route({
      method: 'POST',
      url: '/folders/create',
      config: {
        idempotent: true,
        access: write,
        tool: 'create_folder',
        errors: ['not_found', 'conflict', 'limit_reached'],
      },
      schema: {
        operationId: 'createFolder',
        summary: 'Create a folder',
        tags: ['Folders'],
        body: z.object({
          name: label(maxFolderNameLength),
          sort_order: z.int32().optional().describe('If left out, the folder comes last.'),
          space_id: spaceId,
        }),
        response: { 201: dataOf(shownFolder) },
      },
      handler: async (request, reply) =>
        reply.code(201).send({
          data: await once(
            request,
            (as) => folders.create(as, request.body),
            (as, id) => byId(folders.list(as, request.body), id),
          ),
        }),
    });

    app.route({
      method: 'PATCH',
      url: '/folders/:id',
      config: { access: write, tool: 'update_folder', errors: ['conflict'] },
      schema: {
        operationId: 'updateFolder',
        summary: 'Change a folder; fields that you leave out stay the same',
        description: 'An extension of this server.',
        tags: ['Folders'],
        params: pathId,
        body: optionalBody(
          z.object({
            name: label(maxFolderNameLength).exactOptional(),
            sort_order: z.int32().exactOptional(),
          }),
        ),
        response: { 200: dataOf(shownFolder) },
      },
      handler: async (request) => ({
        data: await folders.update(principalOf(request), request.params.id, request.body),
      }),
    });

    app.route({
      method: 'DELETE',
      url: '/folders/:id',
      config: { access: write, tool: 'delete_folder' },
      schema: {
        operationId: 'deleteFolder',
        summary: 'Delete a folder; its notes stay, without a folder, or go to the trash',
        description: 'An extension of this server.',
        tags: ['Folders'],
        params: pathId,
        querystring: z.object({
          notes: z
            .enum(['keep', 'trash'])
            .default('keep')
            .describe(
              'What happens to its notes: `keep` them without a folder, or move them to the `trash`.',
            ),
        }),
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await folders.remove(principalOf(request), request.params.id, request.query.notes);
        return reply.code(204).send();
      },
    });
  };
