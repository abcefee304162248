import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';

const maxLength = 1_000;
const maxShownName = 100;

/**
 * Every GET of `/api/v1` that answers with records takes `fields`: which fields of them the client wants. A name that the
 * answer never has is refused. Routes that can leave columns unread ask `fieldsOf`. Call it before the first route.
 */
export function offerFields(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const record = recordOf(route);
    const query = route.schema?.querystring ?? z.object({});
    // Fastify adds a HEAD route to every GET route, with the same schema.
    if (!record || !(query instanceof z.ZodObject) || 'fields' in query.shape) return;
    route.schema = { ...route.schema, querystring: query.safeExtend({ fields: fieldsInput(record) }) };
    route.preSerialization = async (request: FastifyRequest, _reply: unknown, payload: unknown) => {
      const wanted = fieldsOf(request);
      return wanted ? withOnly(payload, wanted) : payload;
    };
  });
}

/** The fields that a request asks for; undefined for all of them. */
export function fieldsOf({ query }: FastifyRequest): ReadonlySet<string> | undefined {
  const { fields } = Object(query);
  return fields instanceof Set ? fields : undefined;
}

const fieldsInput = (record: z.ZodObject) =>
  z
    .string()
    .max(maxLength)
    .transform((text, context) => {
      const names = text.split(',').map((name) => name.trim());
      const unknown = names.find((name) => !Object.hasOwn(record.shape, name));
      if (unknown === undefined) return new Set(names);
      context.addIssue(`must name fields of this answer; "${unknown.slice(0, maxShownName)}" is none`);
      return z.NEVER;
    })
    .optional()
    .describe('Only these fields of each record, with commas between; an extension of this server.');

/** What is in `data` of the answer: one record, or a list of them. */
function recordOf({ method, url, schema }: RouteOptions): z.ZodObject | undefined {
  if ((method !== 'GET' && method !== 'HEAD') || !url.startsWith('/api/v1/')) return undefined;
  const answer: unknown = Object(schema?.response)[200];
  const json = answer instanceof z.ZodUnion ? answer.options[0] : answer;
  const data: unknown = json instanceof z.ZodObject ? json.shape.data : undefined;
  const record = data instanceof z.ZodArray ? data.element : data;
  return record instanceof z.ZodObject ? record : undefined;
}

function withOnly(payload: unknown, wanted: ReadonlySet<string>): unknown {
  if (typeof payload !== 'object' || payload === null || !('data' in payload)) return payload;
  const { data } = payload;
  const cut = (record: Record<string, unknown>) => {
    const part: Record<string, unknown> = {};
    for (const name of wanted) part[name] = record[name];
    return part;
  };
  return { ...payload, data: Array.isArray(data) ? data.map(cut) : cut(Object(data)) };
}
