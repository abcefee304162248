import type { DoneFuncWithErrOrRes, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import { leanSerializer } from './serialize.ts';

const maxLength = 1_000;
const maxShownName = 100;
/** A client asks for the same fields again and again. The same set has its serializer made once. */
const maxKnown = 20;

/**
 * Every GET of `/api/v1` that answers with records takes `fields`: which fields of them the client wants. A name that the
 * answer never has is refused. Routes that can leave columns unread ask `fieldsOf`. The hook that it returns picks them.
 */
export function offerFields(route: RouteOptions) {
  const { answer, record } = recordOf(route) ?? {};
  const query = route.schema?.querystring ?? z.object({});
  if (!answer || !record || !(query instanceof z.ZodObject)) return undefined;
  route.schema = { ...route.schema, querystring: query.safeExtend({ fields: fieldsInput(record) }) };
  const serialize = leanSerializer(answer, record);
  return (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: DoneFuncWithErrOrRes) => {
    const wanted = fieldsOf(request);
    if (wanted && hasData(payload)) reply.serializer(() => serialize(payload, wanted));
    done(null, payload);
  };
}

/** The fields that a request asks for; undefined for all of them. */
export function fieldsOf({ query }: FastifyRequest): ReadonlySet<string> | undefined {
  const { fields } = Object(query);
  return fields instanceof Set ? fields : undefined;
}

function fieldsInput(record: z.ZodObject) {
  const known = new Map<string, ReadonlySet<string>>();
  return z
    .string()
    .max(maxLength)
    .transform((text, context) => {
      const before = known.get(text);
      if (before) return before;
      const names = text.split(',').map((name) => name.trim());
      const unknown = names.find((name) => !Object.hasOwn(record.shape, name));
      if (unknown === undefined) {
        const fields = new Set(names);
        if (known.size < maxKnown) known.set(text, fields);
        return fields;
      }
      context.addIssue(`must name fields of this answer; "${unknown.slice(0, maxShownName)}" is none`);
      return z.NEVER;
    })
    .optional()
    .describe('Only these fields of each record, with commas between; an extension of this server.');
}

const hasData = (payload: unknown): payload is { data: unknown } =>
  typeof payload === 'object' && payload !== null && 'data' in payload;

/** The answer, and what is in its `data`: one record, or a list of them. */
function recordOf({ method, url, schema }: RouteOptions) {
  if ((method !== 'GET' && method !== 'HEAD') || !url.startsWith('/api/v1/')) return undefined;
  const answer: unknown = Object(schema?.response)[200];
  const json = answer instanceof z.ZodUnion ? answer.options[0] : answer;
  if (!(json instanceof z.ZodObject)) return undefined;
  const { data }: { data?: unknown } = json.shape;
  const record = data instanceof z.ZodArray ? data.element : data;
  return record instanceof z.ZodObject ? { answer: json, record } : undefined;
}
