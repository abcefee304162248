import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import {
  action,
  maxActionNameLength,
  maxDescriptionLength,
  maxInstructionLength,
  maxPromptLength,
  maxSections,
  outputs,
} from '../../domain/action.ts';
import { dataOf, idInput, label, noContent, pageOf, pathId, text, whole } from '../../kernel/schemas.ts';
import type { Language } from '../../language/language.ts';
import { once } from '../idempotency.ts';
import { principalOf } from '../request.ts';

const shownAction = action.meta({ id: 'Action' });
const tags = ['Language'];
const read = { credential: 'key', personal: 'notes:read', workspace: 'workspace:notes:read' } as const;
const write = { credential: 'key', personal: 'notes:write', workspace: 'workspace:notes:write' } as const;

export const languageInput = label(60).describe('What to write in: `de`, or `German`.');

const name = label(maxActionNameLength);
const fields = {
  description: text(maxDescriptionLength).nullable(),
  sections: z
    .array(z.object({ heading: label(maxActionNameLength), instruction: text(maxInstructionLength) }))
    .max(maxSections)
    .nullable(),
  language: languageInput.nullable(),
};
const prompt = text(maxPromptLength).describe('What to write about the note.');
const output = z.enum(outputs);

/** What a language model can be asked to write about a note. */
export const actionRoutes =
  (language: Language): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/actions',
      config: { access: read, tool: 'list_actions' },
      schema: {
        operationId: 'listActions',
        summary: 'List the actions on notes: built-in, your own, and those that your workspaces share',
        tags,
        response: { 200: pageOf(shownAction) },
      },
      handler: async (request) => ({ ...whole, data: await language.actions(principalOf(request)) }),
    });

    app.route({
      method: 'POST',
      url: '/actions',
      config: { idempotent: true, access: write, errors: ['limit_reached'] },
      schema: {
        operationId: 'createAction',
        summary: 'Create an action of your own, or one that a workspace shares',
        tags,
        body: z.object({
          name,
          prompt,
          description: fields.description.default(null),
          sections: fields.sections.default(null),
          output: output.default('replace'),
          language: fields.language.default(null),
          workspace_id: idInput.nullable().default(null),
        }),
        response: { 201: dataOf(shownAction) },
      },
      handler: async (request, reply) =>
        reply.code(201).send({
          data: await once(request, (as) => language.createAction(as, request.body), language.action),
        }),
    });

    app.route({
      method: 'PATCH',
      url: '/actions/:id',
      config: { access: write },
      schema: {
        operationId: 'updateAction',
        summary: 'Change an action; fields that you leave out stay the same',
        tags,
        params: pathId,
        body: z.object({
          name: name.exactOptional(),
          prompt: prompt.exactOptional(),
          description: fields.description.exactOptional(),
          sections: fields.sections.exactOptional(),
          output: output.exactOptional(),
          language: fields.language.exactOptional(),
        }),
        response: { 200: dataOf(shownAction) },
      },
      handler: async (request) => ({
        data: await language.updateAction(principalOf(request), request.params.id, request.body),
      }),
    });

    app.route({
      method: 'DELETE',
      url: '/actions/:id',
      config: { access: write },
      schema: {
        operationId: 'deleteAction',
        summary: 'Delete an action',
        tags,
        params: pathId,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await language.removeAction(principalOf(request), request.params.id);
        return reply.code(204).send();
      },
    });
  };
