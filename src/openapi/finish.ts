import { isDeepStrictEqual } from 'node:util';
import type { AuditEvent } from '../domain/audit.ts';
import { auditRecorded, contentEvents, testEvent } from '../domain/webhook.ts';
import examples from './examples.json' with { type: 'json' };
import { headers, parameterText, rateHeaders, statusTexts, tagTexts } from './texts.ts';

interface Schema {
  [keyword: string]: unknown;
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: unknown;
}
interface Media {
  schema?: Schema;
  example?: unknown;
}
interface Answer {
  $ref?: string;
  description?: string;
  headers?: Record<string, object>;
  content?: Record<string, Media>;
}
interface Operation {
  operationId: string;
  tags?: string[];
  security?: object[];
  parameters?: {
    in: string;
    name: string;
    description?: string;
    schema?: { description?: string };
    example?: unknown;
  }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Answer>;
}
export interface Document {
  tags?: object[];
  webhooks?: object;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer>; headers?: object };
}
/** What a route says of itself beyond its schemas. */
export interface RouteFacts {
  idempotent: boolean;
  hasTag: boolean;
}

interface Example {
  parameters?: Record<string, unknown>;
  request?: Record<string, unknown>;
  answers?: Record<string, Record<string, unknown>>;
}
const exampleOf = (operationId: string): Example =>
  Object.entries<Example>(examples).find(([name]) => name === operationId)?.[1] ?? {};

/** Adds to the document what the generator cannot know: texts, headers, names, examples and events. */
export function finish(document: Document, factsOf: (operationId: string) => RouteFacts): void {
  const { schemas } = document.components;
  for (const [path, methods] of Object.entries(document.paths))
    for (const operation of Object.values(methods)) {
      describeParameters(path, operation);
      describeAnswers(operation, factsOf(operation.operationId));
      addExamples(operation);
      nameAnswers(operation, schemas);
    }
  for (const answer of Object.values(document.components.responses)) describeError(answer);
  // Otherwise the document would change whenever a route is registered earlier or later.
  document.paths = inOrderOfNames(document.paths);
  for (const [path, methods] of Object.entries(document.paths))
    document.paths[path] = Object.fromEntries(
      methodOrder.flatMap((method) => (methods[method] ? [[method, methods[method]]] : [])),
    );
  document.components.responses = inOrderOfNames(document.components.responses);
  document.components.headers = headers;
  for (const [name, schema] of Object.entries(schemas)) if (!name.endsWith('Input')) openUp(schema);
  document.webhooks = Object.fromEntries(
    [...contentEvents, auditRecorded, testEvent].map((event) => [event, webhookOf(event)]),
  );
  schemas.WebhookEvent = eventSchema;
  schemas.AuditWebhookEvent = auditEventSchema;
  document.tags = Object.entries(tagTexts).map(([name, description]) => ({ name, description }));
}

const methodOrder = ['get', 'post', 'put', 'patch', 'delete'];
const inOrderOfNames = <Value>(record: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));

function describeParameters(path: string, { operationId, parameters = [] }: Operation): void {
  const { parameters: values = {} } = exampleOf(operationId);
  for (const parameter of parameters) {
    const text = parameter.description ?? parameter.schema?.description;
    const known = text ?? parameterText(path, parameter.in, parameter.name);
    if (known !== undefined) parameter.description = known;
    if (parameter.name in values) parameter.example = values[parameter.name];
  }
}

function describeAnswers(operation: Operation, { idempotent, hasTag }: RouteFacts): void {
  const { responses, security = [] } = operation;
  for (const [status, answer] of Object.entries(responses)) {
    if (answer.$ref !== undefined) continue;
    if (answer.description === 'Default Response') answer.description = statusTexts[status] ?? 'Success.';
    const isSuccess = status < '400';
    const names = ['X-Request-Id'];
    if (security.length > 0) names.push(...rateHeaders);
    if (hasTag && isSuccess) names.push('ETag');
    if (idempotent && status < '300') names.push('Idempotency-Replayed');
    answer.headers = { ...answer.headers, ...refs(names) };
    for (const { schema } of Object.values(answer.content ?? {})) if (schema) openUp(schema);
  }
}

function describeError(answer: Answer): void {
  const waits = /rate_limited|service_unavailable|concurrency_limit/.test(answer.description ?? '');
  const names = ['X-Request-Id'];
  if (waits) names.push('Retry-After');
  if (answer.description?.includes('invalid_api_key')) names.push('WWW-Authenticate');
  answer.headers = refs(names);
  for (const { schema } of Object.values(answer.content ?? {})) if (schema) openUp(schema);
}

const refs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

function addExamples({ operationId, requestBody, responses }: Operation): void {
  const { request = {}, answers = {} } = exampleOf(operationId);
  give(requestBody?.content, request);
  for (const [status, bodies] of Object.entries(answers)) give(responses[status]?.content, bodies);
}

function give(content: Record<string, Media> | undefined, bodies: Record<string, unknown>): void {
  for (const [type, body] of Object.entries(bodies)) {
    const media = content?.[type];
    if (media) media.example = body;
  }
}

/** Clients must expect new fields in answers, so no answer is closed. */
function openUp(schema: object): void {
  for (const [key, value] of Object.entries(schema))
    if (key === 'additionalProperties' && value === false) Reflect.deleteProperty(schema, key);
    else if (typeof value === 'object' && value !== null) openUp(value);
}

/** An answer gets a name, so that clients made from the document have a type for it. */
function nameAnswers({ operationId, responses }: Operation, schemas: Record<string, Schema>): void {
  for (const [status, { content = {} }] of Object.entries(responses)) {
    const media = content['application/json'];
    if (!media?.schema?.properties || status >= '400') continue;
    const ofOperation = `${operationId[0]?.toUpperCase()}${operationId.slice(1)}Answer`;
    // An answer with a description of its own is not what others answer.
    const name = [media.schema.description ? undefined : nameOf(media.schema), ofOperation].find(
      (one) =>
        one !== undefined && (schemas[one] === undefined || isDeepStrictEqual(schemas[one], media.schema)),
    );
    if (name === undefined) throw new Error(`${operationId} needs a name for its answer ${status}`);
    schemas[name] = media.schema;
    media.schema = { $ref: `#/components/schemas/${name}` };
  }
}

/** `NoteAnswer`, `NoteList` or `NotePage`, by what is in it. */
function nameOf({ properties = {} }: Schema): string | undefined {
  const { data, ...rest } = properties;
  const others = Object.keys(rest).join();
  const item = (data?.items?.$ref ?? data?.$ref)?.split('/').at(-1);
  if (item === undefined) return undefined;
  if (others === 'has_more,next_cursor') return `${item}Page`;
  return others === '' ? `${item}${data?.items ? 'List' : 'Answer'}` : undefined;
}

const eventSchema: Schema = {
  type: 'object',
  description: 'Says what to fetch and holds no text. It is signed as Standard Webhooks says.',
  properties: {
    type: { type: 'string', enum: [...contentEvents, testEvent] },
    timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
    data: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'Id of the note, transcription, recording or job.' },
        space_id: { type: ['string', 'null'], description: 'null for what is your own.' },
      },
      required: ['id', 'space_id'],
    },
  },
  required: ['type', 'timestamp', 'data'],
};

const auditEventSchema: Schema = {
  ...eventSchema,
  description: 'A new line of the audit log, as its list shows it. It holds no text and no secret.',
  properties: {
    ...eventSchema.properties,
    type: { type: 'string', enum: [auditRecorded] },
    data: { $ref: '#/components/schemas/AuditEvent' },
  },
};

const signature = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
const signatureTexts = [
  'The same for every attempt: drop what you have seen.',
  'Seconds since 1970. Refuse what is older than five minutes.',
  '`v1,` and the HMAC-SHA256 of id, timestamp and body, joined by dots, in Base64; after a rotation two of them with a space between.',
];

const exampleId = '0198c0de-0000-7000-8000-000000000001';
const auditExample: AuditEvent = {
  id: exampleId,
  created_at: '2026-05-01T12:00:00.000Z',
  act: 'member.invited',
  actor_id: '0198c0de-0000-7000-8000-000000000002',
  actor_name: 'ada@example.org',
  via: 'session',
  key_id: null,
  workspace_id: '0198c0de-0000-7000-8000-000000000003',
  subject_id: '0198c0de-0000-7000-8000-000000000004',
  subject_name: 'bob@example.org',
  detail: null,
  address: '192.0.2.1',
  request_id: 'req-1',
  times: 1,
};

const webhookOf = (event: string) => ({
  post: {
    operationId: `on${event.replace(/(^|\.)(\w)/g, (_, _dot, letter: string) => letter.toUpperCase())}`,
    summary: `${event.replace('.', ': ')}`,
    description:
      'Sent to webhooks that want this event. Answer 200 to 299 within 10 seconds, or it comes again.',
    tags: ['Webhooks'],
    security: [],
    parameters: signature.map((name, at) => ({
      in: 'header',
      name,
      required: true,
      description: signatureTexts[at],
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${event === auditRecorded ? 'Audit' : ''}WebhookEvent` },
          example: {
            type: event,
            timestamp: '2026-05-01T12:00:00.000Z',
            data: event === auditRecorded ? auditExample : { id: exampleId, space_id: null },
          },
        },
      },
    },
    responses: {
      '2XX': { description: 'You have it.' },
      410: { description: 'You want no more events: the webhook is paused.' },
    },
  },
});
