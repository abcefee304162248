import type { RouteOptions } from 'fastify';
import { z } from 'zod';

/** What a tool answers whose route answers nothing. Only deletions do. */
export const deleted = { data: { deleted: true } };
const deletion = z.object({ data: z.object({ deleted: z.literal(true) }) });
const plainText = z.object({ text: z.string() });

/** What the tool of a route answers: the route's own answers with a status of success. */
export function outputOf({ schema }: RouteOptions): z.ZodType {
  const answers = Object.entries(Object(schema?.response)).flatMap(([status, answer]) =>
    /^2\d\d$/.test(status) ? [answer] : [],
  );
  const takesFields = schema?.querystring instanceof z.ZodObject && 'fields' in schema.querystring.shape;
  const outputs = [...new Set(answers.flatMap(partsOf))].map((part) =>
    takesFields ? withFewer(part) : part,
  );
  const [only, ...others] = outputs;
  if (only === undefined) throw new Error('The route of a tool must say what it answers.');
  return others.length === 0 ? only : z.union([only, ...others]);
}

function partsOf(answer: unknown): z.ZodObject[] {
  if (answer instanceof z.ZodUnion) return answer.options.flatMap(partsOf);
  if (answer instanceof z.ZodObject) return [answer];
  if (answer instanceof z.ZodString) return [plainText];
  if (answer instanceof z.ZodUndefined) return [deletion];
  throw new Error('The answers of a route with a tool must be objects, text or nothing.');
}

/** With `fields`, a record has only those that were asked for (http/fields.ts). */
function withFewer(answer: z.ZodObject): z.ZodObject {
  const { data } = answer.shape;
  if (data instanceof z.ZodObject) return answer.extend({ data: data.partial() });
  if (data instanceof z.ZodArray && data.element instanceof z.ZodObject)
    return answer.extend({ data: z.array(data.element.partial()) });
  return answer;
}
