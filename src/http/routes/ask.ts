import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { askedAnswer, conversation, maxQuestionLength, turn } from '../../domain/ask.ts';
import {
  cursor,
  dataOf,
  idInput,
  instant,
  limit,
  noContent,
  pageOf,
  pathId,
  spaceId,
  text,
} from '../../kernel/schemas.ts';
import type { Ask } from '../../services/ask.ts';
import type { ExplainError } from '../errors.ts';
import type { EventStreams } from '../event-stream.ts';
import { clientSignal, principalOf } from '../request.ts';

const asking = {
  credential: 'key',
  personal: 'notes:read',
  workspace: 'workspace:notes:read',
  policy: 'language models',
} as const;
const shownConversation = conversation.meta({ id: 'Conversation' });

interface Dependencies {
  ask: Ask;
  explainError: ExplainError;
}

export const askRoutes =
  ({ ask, explainError }: Dependencies, streams: EventStreams): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'POST',
      url: '/ask',
      config: {
        access: asking,
        cost: 10,
        events: true,
        plainText: true,
        // Nothing of it shows on a server without a model.
        ...(ask.isOn ? { tool: 'ask_notes' } : {}),
        errors: ['not_found', 'quota_exceeded', 'concurrency_limit', 'limit_reached', 'service_unavailable'],
      },
      schema: {
        operationId: 'askNotes',
        summary: 'Ask your notes; the answer cites note and second, or says that it is not there',
        description:
          'Server-sent events: `delta` with text as it is written, then one `done` with the answer whose citations are checked, or `error`. With `Accept: application/json`, the answer of `done` at once. Needs a language model on the server; without one it is 503.',
        tags: ['Ask'],
        body: z.object({
          question: text(maxQuestionLength),
          folder_id: idInput.optional(),
          space_id: spaceId,
          since: instant.optional().describe('Notes created at this time or later.'),
          until: instant.optional().describe('Notes created before this time.'),
          conversation_id: idInput
            .optional()
            .describe('For a question that follows another; `done` has it. Not with a workspace key.'),
        }),
        response: {
          200: z.union([
            dataOf(askedAnswer.extend({ conversation_id: z.uuid().nullable() }).meta({ id: 'Answer' })),
            z.string(),
          ]),
        },
      },
      handler: async (request, reply) => {
        const principal = principalOf(request);
        if (request.headers.accept?.startsWith('application/json'))
          return { data: await ask.answer(principal, request.body, clientSignal(reply)) };
        return streams.tell(request, reply, explainError, async (tell, signal) => {
          const answer = await ask.answer(principal, request.body, signal, (more) =>
            tell({ event: 'delta', data: { text: more } }),
          );
          await tell({ event: 'done', data: answer });
        });
      },
    });

    const personal = { credential: 'key', personal: 'notes:read' } as const;

    app.route({
      method: 'GET',
      url: '/conversations',
      config: { access: personal },
      schema: {
        operationId: 'listConversations',
        summary: 'List the conversations with your notes, newest first',
        tags: ['Ask'],
        querystring: z.object({ limit: limit(100, 50), cursor }),
        response: { 200: pageOf(shownConversation) },
      },
      handler: (request) => ask.list(principalOf(request), request.query),
    });

    app.route({
      method: 'GET',
      url: '/conversations/:id',
      config: { access: personal },
      schema: {
        operationId: 'getConversation',
        summary: 'Get a conversation with its questions and answers',
        tags: ['Ask'],
        params: pathId,
        response: { 200: dataOf(conversation.extend({ turns: z.array(turn) })) },
      },
      handler: async (request) => ({ data: await ask.get(principalOf(request), request.params.id) }),
    });

    app.route({
      method: 'DELETE',
      url: '/conversations/:id',
      config: { access: { credential: 'key', personal: 'notes:write' } },
      schema: {
        operationId: 'deleteConversation',
        summary: 'Delete a conversation for good',
        tags: ['Ask'],
        params: pathId,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await ask.remove(principalOf(request), request.params.id);
        return reply.code(204).send();
      },
    });
  };
