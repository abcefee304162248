import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { folder, maxFolderNameLength } from '../../domain/folder.ts';
import type { Folders } from '../../services/folders.ts';
import { principalOf } from '../request.ts';
import { dataOf, label, spaceId } from '../schemas.ts';

const shownFolder = folder.meta({ id: 'Folder' });

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
        response: { 200: dataOf(z.array(shownFolder)) },
      },
      handler: async (request) => ({ data: await folders.list(principalOf(request), request.query) }),
    });

    app.route({
      method: 'POST',
      url: '/folders/create',
      config: {
        idempotent: true,
        access: { credential: 'key', personal: 'notes:write', workspace: 'workspace:folders:write' },
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
        reply.code(201).send({ data: await folders.create(principalOf(request), request.body) }),
    });
  };
