import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { maxReplacementLength, maxTriggerLength, snippet } from '../../domain/snippet.ts';
import type { Snippets } from '../../services/snippets.ts';
import { once } from '../idempotency.ts';
import { principalOf } from '../request.ts';
import { cursor, dataOf, label, limit, noContent, pageOf, pathId, text } from '../schemas.ts';

export const shownSnippet = snippet.meta({ id: 'Snippet' });

const trigger = label(maxTriggerLength);
const replacement = text(maxReplacementLength);

export const snippetDraft = z.object({ trigger, replacement });

const read = { credential: 'key', personal: 'snippets:read' } as const;
export const writeSnippets = {
  credential: 'key',
  personal: 'snippets:write',
  policy: 'cloud backup',
} as const;

export const snippetRoutes =
  (snippets: Snippets): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/snippets/list',
      config: { access: read, tool: 'list_snippets' },
      schema: {
        operationId: 'listSnippets',
        summary: 'List snippets, newest first',
        tags: ['Snippets'],
        querystring: z.object({ limit: limit(500, 200), cursor }),
        response: { 200: pageOf(shownSnippet) },
      },
      handler: (request) => snippets.list(principalOf(request), request.query),
    });

    app.route({
      method: 'POST',
      url: '/snippets/create',
      config: {
        idempotent: true,
        access: writeSnippets,
        tool: 'create_snippet',
        errors: ['not_found', 'conflict'],
      },
      schema: {
        operationId: 'createSnippet',
        summary: 'Create a snippet: you say the trigger, and the replacement is written',
        tags: ['Snippets'],
        body: snippetDraft,
        response: { 201: dataOf(shownSnippet) },
      },
      handler: async (request, reply) =>
        reply
          .code(201)
          .send({ data: await once(request, (as) => snippets.create(as, request.body), snippets.get) }),
    });

    app.route({
      method: 'PATCH',
      url: '/snippets/:id',
      config: { access: writeSnippets, tool: 'update_snippet', errors: ['conflict'] },
      schema: {
        operationId: 'updateSnippet',
        summary: 'Change a snippet; fields that you leave out stay the same',
        tags: ['Snippets'],
        params: pathId,
        body: z
          .object({ trigger: trigger.exactOptional(), replacement: replacement.exactOptional() })
          .refine((changes) => changes.trigger !== undefined || changes.replacement !== undefined, {
            message: 'must have trigger, replacement or both',
          }),
        response: { 200: dataOf(shownSnippet) },
      },
      handler: async (request) => ({
        data: await snippets.update(principalOf(request), request.params.id, request.body),
      }),
    });

    app.route({
      method: 'DELETE',
      url: '/snippets/:id',
      config: { access: writeSnippets, tool: 'delete_snippet' },
      schema: {
        operationId: 'deleteSnippet',
        summary: 'Delete a snippet',
        tags: ['Snippets'],
        params: pathId,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await snippets.remove(principalOf(request), request.params.id);
        return reply.code(204).send();
      },
    });
  };
