import { jsonSchemaTransform, jsonSchemaTransformObject } from '@fastify/type-provider-zod';
import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type Access, anyone } from '../domain/access.ts';
import { version } from '../lib/version.ts';
import { errorAnswer, errorsByStatus } from '../platform/http/error-answers.ts';
import type { Document, RouteFacts } from './finish.ts';

/** Registers the generator, for `steno openapi` and a test. The server serves the finished file. */
export async function describeRoutes(app: FastifyInstance): Promise<void> {
  const { default: swagger } = await import('@fastify/swagger');
  const { finish } = await import('./finish.ts');
  const facts = new Map<string, RouteFacts>();
  const withOptionalBody = new Set<string>();
  const withRawUpload = new Set<string>();
  const errors = new Map<string, ReturnType<typeof errorsByStatus>>();
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Steno',
        // Of the API, as the contract has it. The server has a version of its own.
        version: '1.0.0',
        ...{ 'x-steno-version': version },
        description:
          'Notes, folders, search and transcription. Every error has the form `{ "error": { "code", "message" } }`; below `/v1` also `type` and `param`, as in the API of OpenAI.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          personalKey: { type: 'http', scheme: 'bearer', description: 'A personal key, `owk_live_…`.' },
          workspaceKey: { type: 'http', scheme: 'bearer', description: 'A workspace key, `ow_wks_live_…`.' },
          session: {
            type: 'http',
            scheme: 'bearer',
            description: 'The token of a signed-in session. The console sends it as a cookie instead.',
          },
          agentToken: { type: 'http', scheme: 'bearer', description: 'An agent token, `owt_…`.' },
        },
      },
    },
    transform: (route) => {
      const config = route.route.config ?? {};
      const { access = anyone, cost = 1, tool, rawUpload, idempotent, ifMatch, etag } = config;
      const operationId = route.schema?.operationId;
      if (operationId === undefined) return { schema: { hide: true }, url: route.url };
      const described = jsonSchemaTransform(route);
      errors.set(operationId, errorsByStatus(route.route));
      facts.set(operationId, {
        idempotent: idempotent === true,
        hasTag: etag !== undefined || ifMatch === true,
      });
      if (rawUpload) withRawUpload.add(operationId);
      if (takesNoBody(route.schema?.body)) withOptionalBody.add(operationId);
      return {
        ...described,
        schema: {
          ...described.schema,
          ...(tool !== undefined && { 'x-mcp-tool': tool }),
          ...(idempotent && { headers: idempotencyKey }),
          ...(ifMatch && { headers: ifMatchHeader }),
          ...otherBody(config),
          ...otherAnswers(config, Object(described.schema?.response)),
          security: callersOf(access).security,
          description: descriptionOf(route.schema?.description, access, cost),
        },
      };
    },
    transformObject: (source) => {
      const document = jsonSchemaTransformObject(source);
      if (!('components' in document)) return document;
      const shared: Record<string, object> = {};
      for (const [path, { get, post, patch, delete: remove } = {}] of Object.entries(document.paths ?? {}))
        for (const operation of [get, post, patch, remove]) {
          const { operationId = '', requestBody = {}, responses = {} } = operation ?? {};
          if (withRawUpload.has(operationId) && 'content' in requestBody)
            Object.assign(requestBody.content ?? {}, { 'audio/*': { schema: binary } });
          if (withOptionalBody.has(operationId)) Object.assign(requestBody, { required: false });
          // kernel/route.ts gives every route all error codes, for the filter of answers.
          delete responses['4XX'];
          delete responses['5XX'];
          for (const [status, codes] of errors.get(operationId) ?? []) {
            // The route describes this answer itself.
            if (status in responses) continue;
            const { name, answer } = errorAnswer(codes, path);
            shared[name] = answer;
            Object.assign(responses, { [status]: { $ref: `#/components/responses/${name}` } });
          }
        }
      Object.assign(document.components ?? {}, { responses: shared });
      // The types of the generator name every version of OpenAPI; ours say what this one has.
      const described = document as unknown as Document;
      finish(described, (id) => facts.get(id) ?? { idempotent: false, hasTag: false });
      removeUnused(described);
      return document;
    },
  });
}

const ifMatchHeader = {
  type: 'object',
  properties: {
    'If-Match': {
      type: 'string',
      description:
        'The `ETag` that you last got with the note. If its text, title, folder, tags or pin has changed since, the answer is 409 and nothing changes.',
    },
  },
};

const idempotencyKey = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'A request with the same key within 24 hours creates nothing: it gets what the first one made, with `Idempotency-Replayed: true`.',
    },
  },
};

const binary = { type: 'string', format: 'binary' };

const answerOf = (description: string, type: string, schema: object) => ({
  description,
  content: { [type]: { schema } },
});
const text = { type: 'string' };

/** A body that is no JSON. */
function otherBody({ multipart, zipBody }: FastifyContextConfig): object {
  if (multipart) return { consumes: ['multipart/form-data'], body: multipart };
  return zipBody ? { consumes: ['application/zip'], body: binary } : {};
}

/** Answers that are no JSON, or not always. */
function otherAnswers(config: FastifyContextConfig, response: object): object {
  const { csv, zip, audio, events, plainText, multipart } = config;
  if (csv) return { response: { 200: answerOf('CSV.', 'text/csv', text) } };
  if (zip) return { response: { 200: answerOf('A zip.', 'application/zip', binary) } };
  if (plainText)
    return { response: orPlainText(response, { events, text: multipart !== undefined || !events }) };
  if (events)
    return { response: { ...response, 200: answerOf('Server-sent events.', 'text/event-stream', text) } };
  if (!audio) return {};
  const [whole, range] = ['The audio.', 'A range of it.'].map((about) => answerOf(about, 'audio/*', binary));
  return { response: { ...response, 200: whole, 206: range } };
}

/** The generator marks every body as required. */
const takesNoBody = (body: unknown) => body instanceof z.ZodType && body.safeParse(null).success;

function orPlainText(response: unknown, also: { events?: boolean | undefined; text: boolean }): object {
  const answers = z.looseObject({ 200: z.object({ anyOf: z.tuple([z.json(), z.json()]) }) }).parse(response);
  const [json, text] = answers[200].anyOf;
  const content = {
    'application/json': { schema: json },
    ...(also.text ? { 'text/plain': { schema: text } } : {}),
    ...(also.events ? { 'text/event-stream': { schema: text } } : {}),
  };
  return { ...answers, 200: { description: 'Success.', content } };
}

/** The generator writes each component twice, as input and as output. Few are used as both. */
function removeUnused({ components, ...rest }: Document): void {
  const { schemas, ...others } = components;
  const used = new Set<string>();
  const queue: object[] = [rest, others];
  for (const part of queue)
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = schemas[name];
      if (schema && !used.has(name)) queue.push(schema);
      used.add(name);
    }
  // Sorted, because the order of the generator depends on which module is loaded first.
  components.schemas = Object.fromEntries(
    Object.entries(schemas)
      .filter(([name]) => used.has(name))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

function descriptionOf(own: string | undefined, access: Access, cost: number): string {
  const { plan = undefined, policy = undefined } = access.credential === 'key' ? access : {};
  const sentences = [
    own,
    callersOf(access).sentence,
    plan && `Needs a plan that includes ${plan}.`,
    policy && `Not available to managed members of a workspace that turns off ${policy}.`,
    cost !== 1 && `Counts as ${cost} requests in the rate limits.`,
  ];
  return sentences.filter(Boolean).join(' ');
}

type Callers = { sentence: string; security: Record<string, string[]>[] };

/** Who may call, unless a key with a scope may. */
const callers: Record<Exclude<Access['credential'], 'key'>, Callers> = {
  none: { sentence: 'For everybody, without a credential.', security: [] },
  'any key': {
    sentence: 'For every key and session.',
    security: [{ personalKey: [] }, { workspaceKey: [] }, { session: [] }],
  },
  session: { sentence: 'For sessions only.', security: [{ session: [] }] },
  operator: { sentence: 'For sessions of operators.', security: [{ session: ['operator'] }] },
  'session or agent': {
    sentence: 'For sessions and agent tokens.',
    security: [{ session: [] }, { agentToken: [] }],
  },
};

function callersOf(access: Access): Callers {
  if (access.credential !== 'key') return callers[access.credential];
  const { personal, workspace } = access;
  const names = [
    personal && `personal keys with \`${personal}\``,
    personal && 'sessions',
    workspace && `workspace keys with \`${workspace}\``,
  ];
  return {
    sentence: `For ${names.filter(Boolean).join(', ')}.`,
    security: [
      ...(personal ? [{ personalKey: [personal] }, { session: [] }] : []),
      ...(workspace ? [{ workspaceKey: [workspace] }] : []),
    ],
  };
}
