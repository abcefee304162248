import type { RouteOptions } from 'fastify';
import { z } from 'zod';
import { parseWith } from '../kernel/schemas.ts';

export type Arguments = Readonly<Record<string, unknown>>;

interface ToolRequest {
  url: string;
  headers?: Record<string, string>;
  payload?: string | Buffer;
}

export interface ToolForm {
  readonly input: z.ZodObject;
  /** Checks only what is needed to make the request; the route checks the rest. Raises `validation_error`. */
  toRequest(given: Arguments): ToolRequest | Promise<ToolRequest>;
}

/** The route's own schemas as one input. An argument goes to the path, the query or, when neither knows it, the body. */
export function routeForm({ url, schema }: RouteOptions): ToolForm {
  const params = z.object(shapeOf(schema?.params));
  const query = shapeOf(schema?.querystring);
  const body = shapeOf(schema?.body);
  return {
    input: z.object({ ...params.shape, ...query, ...body }),
    toRequest(given) {
      const path = fillPath(url, params, given);
      const search = new URLSearchParams();
      const fields: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(given)) {
        if (Object.hasOwn(params.shape, name)) continue;
        if (!Object.hasOwn(query, name)) fields[name] = value;
        // Assistants send the `next_cursor: null` of the last page back.
        else if (value !== null)
          search.set(name, typeof value === 'object' ? JSON.stringify(value) : `${value}`);
      }
      const target = { url: search.size === 0 ? path : `${path}?${search}` };
      if (schema?.body === undefined) return target;
      return {
        ...target,
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify(fields),
      };
    },
  };
}

function shapeOf(schema: unknown): z.ZodRawShape {
  if (schema === undefined) return {};
  if (schema instanceof z.ZodObject) return schema.shape;
  // z.preprocess wraps the object.
  if (schema instanceof z.ZodPipe) return shapeOf(schema.out);
  throw new Error('The schemas of a route with a tool must be objects.');
}

function fillPath(url: string, params: z.ZodObject, given: Arguments): string {
  const values = parseWith(params, given);
  return url.replace(/:(\w+)/g, (_, name) => toSegment(String(values[name])));
}

/** An empty segment, "." or ".." would name another path. "-" is no id either, but keeps the path as it is. */
const toSegment = (value: string) =>
  /^\.{0,2}$/.test(value) ? '-' : encodeURIComponent(value.toWellFormed());
