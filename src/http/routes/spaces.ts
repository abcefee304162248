import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import {
  maxEmojiLength,
  maxSpaceDescriptionLength,
  maxSpaceNameLength,
  space,
  spacesOf,
} from '../../domain/space.ts';
import { dataOf, noContent, pageOf, pathId, whole } from '../../kernel/schemas.ts';
import type { Spaces } from '../../services/spaces.ts';
import { byId, once } from '../idempotency.ts';
import { principalOf } from '../request.ts';

const shownSpace = space.meta({ id: 'Space' });

/** For workspace keys. */
export const spaceRoutes =
  (spaces: Spaces): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/spaces/list',
      config: { access: { credential: 'key', workspace: 'any content scope' }, tool: 'list_spaces' },
      schema: {
        operationId: 'listSpaces',
        summary: 'List the spaces of the workspace that the key belongs to',
        tags: ['Spaces'],
        response: { 200: pageOf(shownSpace) },
      },
      handler: async (request) => ({ ...whole, data: await spaces.listForKey(principalOf(request)) }),
    });
  };

const config = { access: { credential: 'session' } } as const;
const spacePath = pathId.extend({ space_id: z.string().toLowerCase() });
const name = z.string().trim().min(1).max(maxSpaceNameLength);
const description = z.string().max(maxSpaceDescriptionLength).nullable();
const emoji = z.string().max(maxEmojiLength).nullable();

/** For the members of a workspace. */
export const workspaceSpaceRoutes =
  (spaces: Spaces): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/workspaces/:id/spaces',
      config,
      schema: {
        operationId: 'listWorkspaceSpaces',
        summary: 'List the spaces of a workspace (open to any member)',
        tags: ['Workspaces'],
        params: pathId,
        response: { 200: pageOf(shownSpace) },
      },
      handler: async (request) => ({
        ...whole,
        data: await spaces.list(principalOf(request), request.params.id),
      }),
    });

    app.route({
      method: 'POST',
      url: '/workspaces/:id/spaces',
      config: { ...config, idempotent: true },
      schema: {
        operationId: 'createSpace',
        summary: 'Create a space in a workspace',
        tags: ['Workspaces'],
        params: pathId,
        body: z.object({ name, description: description.optional(), emoji: emoji.optional() }),
        response: { 201: dataOf(shownSpace) },
      },
      handler: async (request, reply) =>
        reply.code(201).send({
          data: await once(
            request,
            (as) => spaces.create(as, request.params.id, request.body),
            (as, id) => byId(spaces.list(as, request.params.id), id),
          ),
        }),
    });

    app.route({
      method: 'PATCH',
      url: '/workspaces/:id/spaces/:space_id',
      config,
      schema: {
        operationId: 'updateSpace',
        summary: 'Change a space; fields that you leave out stay the same',
        tags: ['Workspaces'],
        params: spacePath,
        body: z.object({
          name: name.exactOptional(),
          description: description.exactOptional(),
          emoji: emoji.exactOptional(),
        }),
        response: { 200: dataOf(shownSpace) },
      },
      handler: async (request) => {
        const { id, space_id } = request.params;
        return { data: await spaces.update(principalOf(request), spacesOf(id), space_id, request.body) };
      },
    });

    app.route({
      method: 'POST',
      url: '/workspaces/:id/spaces/:space_id/archive',
      config,
      schema: {
        operationId: 'archiveSpace',
        summary: 'Archive a space: it is hidden, and nothing is deleted',
        tags: ['Workspaces'],
        params: spacePath,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await spaces.archive(principalOf(request), spacesOf(request.params.id), request.params.space_id);
        return reply.code(204).send();
      },
    });
  };
