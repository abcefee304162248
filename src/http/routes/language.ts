import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import {
  languageJob,
  languageSettings,
  maxChosenActions,
  maxFoldersWithActions,
  outputs,
} from '../../domain/action.ts';
import { cursor, dataOf, idInput, limit, noContent, pageOf, pathId } from '../../kernel/schemas.ts';
import type { Language, LanguageEvent } from '../../language/language.ts';
import type { EventStreams, ServerSentEvent } from '../event-stream.ts';
import { once } from '../idempotency.ts';
import { principalOf } from '../request.ts';
import { languageInput } from './actions.ts';

const shownJob = languageJob.meta({ id: 'LanguageJob' });
const shownSettings = languageSettings
  .extend({
    is_on: z.boolean().describe('Whether this server has a language model.'),
    model: z
      .object({
        address: z.string().nullable().describe('Where texts are sent.'),
        model: z.string(),
        window: z.int().describe('Tokens that fit into one request with its answer.'),
      })
      .nullable()
      .describe('Null without a model, and while it does not answer.'),
  })
  .meta({ id: 'LanguageSettings' });
const tags = ['Language'];
const read = { credential: 'key', personal: 'notes:read', workspace: 'workspace:notes:read' } as const;
const write = { credential: 'key', personal: 'notes:write', workspace: 'workspace:notes:write' } as const;
const own = { credential: 'key', personal: 'notes:read' } as const;
const actionIds = z.array(z.string().max(100)).max(maxChosenActions);

export const languageRoutes =
  (language: Language, streams: EventStreams): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'POST',
      url: '/notes/:id/enhance',
      config: {
        idempotent: true,
        access: { ...write, policy: 'language models' },
        cost: 5,
        tool: 'enhance_note',
        errors: ['limit_reached'],
      },
      schema: {
        operationId: 'enhanceNote',
        summary:
          'Let the language model write about a note: a title, a summary, tasks, or an action of your own',
        description:
          'The answer is a job; follow it at `/language/jobs/{id}/events`. The text goes to `enhanced_content`, and the one before it becomes a revision. Without a language model: 503 without `Retry-After`.',
        tags,
        params: pathId,
        body: z.object({
          action: z.string().min(1).max(100).describe('The id of an action of `GET /actions`.'),
          language: languageInput.optional(),
          output: z.enum(outputs).optional().describe('Another place than the action says.'),
        }),
        response: { 202: dataOf(shownJob) },
      },
      handler: async (request, reply) =>
        reply.code(202).send({
          data: await once(
            request,
            (as) => language.enhance(as, request.params.id, request.body),
            language.job,
          ),
        }),
    });

    app.route({
      method: 'GET',
      url: '/language/jobs',
      config: { access: read },
      schema: {
        operationId: 'listLanguageJobs',
        summary: 'List what the language model writes and has written for you, newest first',
        tags,
        querystring: z.object({ limit: limit(100, 50), cursor, note_id: idInput.optional() }),
        response: { 200: pageOf(shownJob) },
      },
      handler: (request) => language.jobs(principalOf(request), request.query),
    });

    app.route({
      method: 'GET',
      url: '/language/jobs/:id',
      config: { access: read, tool: 'get_language_job' },
      schema: {
        operationId: 'getLanguageJob',
        summary: 'Get the state of a text that the language model writes',
        tags,
        params: pathId,
        response: { 200: dataOf(shownJob) },
      },
      handler: async (request) => ({ data: await language.job(principalOf(request), request.params.id) }),
    });

    app.route({
      method: 'DELETE',
      url: '/language/jobs/:id',
      config: { access: write },
      schema: {
        operationId: 'cancelLanguageJob',
        summary: 'Cancel a text that is being written; one that is done stays',
        tags,
        params: pathId,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await language.cancel(principalOf(request), request.params.id);
        return reply.code(204).send();
      },
    });

    app.route({
      method: 'GET',
      url: '/language/jobs/:id/events',
      config: { access: read, events: true },
      schema: {
        operationId: 'followLanguageJob',
        summary: 'Follow a job as server-sent events: `state`, and `text` as it is written',
        description:
          'Of `text`, `offset` says where it goes; 0 begins the text anew. Nothing of it is stored before the state is `done`.',
        tags,
        params: pathId,
        headers: z.object({ 'last-event-id': z.string().optional() }),
        response: { 200: z.string(), 204: z.undefined().describe('You have everything.') },
      },
      handler: async (request, reply) =>
        request.headers['last-event-id'] === lastId
          ? reply.code(204).send()
          : streams.answer(request, reply, async (signal) =>
              sent(await language.follow(principalOf(request), request.params.id, signal)),
            ),
    });

    app.route({
      method: 'GET',
      url: '/language/settings',
      config: { access: own },
      schema: {
        operationId: 'getLanguageSettings',
        summary: 'Get what you want of language models, and where this server sends texts',
        tags,
        response: { 200: dataOf(shownSettings) },
      },
      handler: async (request) => ({ data: await language.settings(principalOf(request)) }),
    });

    app.route({
      method: 'PATCH',
      url: '/language/settings',
      config: { access: { credential: 'key', personal: 'notes:write' } },
      schema: {
        operationId: 'updateLanguageSettings',
        summary: 'Set what is written by itself after a recording, or that no text of yours goes to a model',
        tags,
        body: z.object({
          allowed: z.boolean().exactOptional(),
          titles: z.boolean().exactOptional(),
          actions: actionIds.exactOptional(),
          folders: z
            .array(z.object({ folder_id: idInput, actions: actionIds }))
            .max(maxFoldersWithActions)
            .exactOptional()
            .describe('All folders with actions of their own; others follow `actions`.'),
        }),
        response: { 200: dataOf(shownSettings) },
      },
      handler: async (request) => ({
        data: await language.changeSettings(principalOf(request), request.body),
      }),
    });
  };

/** The id of the last event. A browser that comes again with it gets 204, and stops. */
const lastId = 'end';

async function* sent(events: AsyncIterable<LanguageEvent>): AsyncGenerator<ServerSentEvent> {
  for await (const event of events)
    yield event.kind === 'state'
      ? { event: 'state', data: event.job, id: event.isLast ? lastId : undefined }
      : { event: 'text', data: { offset: event.offset, text: event.text } };
}
