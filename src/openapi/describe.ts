import { jsonSchemaTransform, jsonSchemaTransformObject } from '@fastify/type-provider-zod';
import type { FastifyInstance } from 'fastify';
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
      const {
        access = anyone,
        cost = 1,
        tool,
        multipart,
        plainText,
        zip,
        csv,
        zipBody,
        audio,
        events,
        rawUpload,
        idempotent,
        ifMatch,
        etag,
      } = route.route.config ?? {};
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
          ...(tool === undefined ? {} : { 'x-mcp-tool': tool }),
          ...(idempotent ? { headers: idempotencyKey } : {}),
          ...(ifMatch ? { headers: ifMatchHeader } : {}),
          ...(multipart ? { consumes: ['multipart/form-data'], body: multipart } : {}),
          ...(zipBody ? { consumes: ['application/zip'], body: { type: 'string', format: 'binary' } } : {}),
          ...(csv ? { response: { 200: csvAnswer } } : {}),
          ...(zip ? { response: { 200: zipAnswer } } : {}),
          ...(events && !plainText
            ? { response: { ...Object(described.schema?.response), 200: eventsAnswer } }
            : {}),
          ...(audio
            ? {
                response: {
                  ...Object(described.schema?.response),
                  200: audioAnswer('The audio.'),
                  206: audioAnswer('A range of it.'),
                },
              }
            : {}),
          ...(plainText
            ? {
                response: orPlainText(described.schema?.response, {
                  events,
                  text: multipart !== undefined || !events,
                }),
              }
            : {}),
          security: securityOf(access),
          description: descriptionOf(route.schema?.description, access, cost),
        },
      };
    },
    transformObject: (source) => {
      const document = jsonSchemaTransformObject(source);
      if (!('components' in document)) return document;
      const shared: Record<string, object> = {};
      for (const [path, { get, post, patch, delete: remove } = {}] of Object.entries(document.paths ?? {}))
        for (const { operationId = '', requestBody = {}, responses = {} } of [
          get,
          post,
          patch,
          remove,
        ].filter(isPresent)) {
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
        'The `ETag` that you last got with the note. If its text, title, folder or pin has changed since, the answer is 409 and nothing changes.',
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

const csvAnswer = { description: 'CSV.', content: { 'text/csv': { schema: { type: 'string' } } } };

const zipAnswer = { description: 'A zip.', content: { 'application/zip': { schema: binary } } };

const eventsAnswer = {
  description: 'Server-sent events.',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
};

const audioAnswer = (description: string) => ({ description, content: { 'audio/*': { schema: binary } } });

const isPresent = <Value>(value: Value | undefined) => value !== undefined;

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
    whoMayCall(access),
    plan && `Needs a plan that includes ${plan}.`,
    policy && `Not available to managed members of a workspace that turns off ${policy}.`,
    cost !== 1 && `Counts as ${cost} requests in the rate limits.`,
  ];
  return sentences.filter(Boolean).join(' ');
}

function whoMayCall(access: Access): string {
  switch (access.credential) {
    case 'none':
      return 'For everybody, without a credential.';
    case 'any key':
      return 'For every key and session.';
    case 'session':
      return 'For sessions only.';
    case 'operator':
      return 'For sessions of operators.';
    case 'session or agent':
      return 'For sessions and agent tokens.';
    case 'key': {
      const { personal, workspace } = access;
      const keys = [
        personal && `personal keys with \`${personal}\``,
        personal && 'sessions',
        workspace && `workspace keys with \`${workspace}\``,
      ];
      return `For ${keys.filter(Boolean).join(', ')}.`;
    }
  }
}

function securityOf(access: Access): Record<string, string[]>[] {
  switch (access.credential) {
    case 'none':
      return [];
    case 'any key':
      return [{ personalKey: [] }, { workspaceKey: [] }, { session: [] }];
    case 'session':
      return [{ session: [] }];
    case 'operator':
      return [{ session: ['operator'] }];
    case 'session or agent':
      return [{ session: [] }, { agentToken: [] }];
    case 'key':
      return [
        ...(access.personal ? [{ personalKey: [access.personal] }, { session: [] }] : []),
        ...(access.workspace ? [{ workspaceKey: [access.workspace] }] : []),
      ];
  }
}
