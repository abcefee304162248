import type { FastifySchemaCompiler } from 'fastify';
import { z } from 'zod';
import { maxGraceHours } from '../domain/api-key.ts';
import { type ErrorCode, errorCodes, invalid } from '../domain/errors.ts';
import { parseInstant } from '../domain/fields.ts';
import { explainIssues } from '../lib/explain-issues.ts';
import { characterCount, isOneLine, sameTextKey } from '../lib/text.ts';

/** Schemas that several routes share. A schema with `meta({ id })` becomes a component of the OpenAPI document. */
export { id, timestamp } from '../domain/fields.ts';
/** A time that a client sends, in any form of ISO 8601 with a zone. */
export const instant = z
  .string()
  .transform((text, context) => {
    const stored = parseInstant(text);
    if (stored !== undefined) return stored;
    context.addIssue('must be a time with a zone, like 2026-05-01T12:00:00Z or 2026-05-01T14:00+02:00');
    return z.NEVER;
  })
  .meta({ format: 'date-time' });
/** Ids are stored in lower case; RFC 9562 lets a client send capital letters too. */
export const idInput = z.uuid().toLowerCase();
export const pathId = z.object({ id: z.string().toLowerCase() });
export const spaceId = idInput
  .optional()
  .describe(
    'Id of the space. Required with a workspace key, not allowed with a personal key. With a session: a space of one of your workspaces, or your own notes if left out.',
  );

/** 1 to `max` characters; Zod's own `max` counts UTF-16 units. */
const withLength = (max: number, schema: z.ZodString) =>
  schema
    .refine((value) => value !== '' && characterCount(value) <= max, {
      error: `must have 1 to ${max} characters`,
      abort: true,
    })
    .meta({ minLength: 1, maxLength: max });
export const text = (max: number) => withLength(max, z.string());
const visible = z
  .string()
  .trim()
  .refine((value) => sameTextKey(value) !== '', { error: 'must contain a visible character', abort: true });
/** A name, a word or a trigger: trimmed, one line, with a visible character (docs/decisions/0020). */
export const label = (max: number) =>
  withLength(max, visible).refine(isOneLine, 'must be one line without control characters');

/** Stricter than Number(), which also accepts '', '0x10' and '1e1'. */
const digitsToNumber = (text: unknown) =>
  typeof text === 'string' && /^-?\d+$/.test(text) ? Number(text) : text;

export const limit = (max: number, fallback: number) =>
  z
    .preprocess(digitsToNumber, z.int().min(1).max(max).default(fallback))
    .describe(`Number of items to return, 1 to ${max}.`);
export const cursor = z.string().optional().describe('`next_cursor` of the previous page.');

export const dataOf = <Schema extends z.ZodType>(schema: Schema) => z.object({ data: schema });
export const pageOf = <Schema extends z.ZodType>(schema: Schema) =>
  z.object({ data: z.array(schema), has_more: z.boolean(), next_cursor: z.string().nullable() });
/** What the answer of a short list has beside `data`: it is always whole, and has the form of a page all the same. */
export const whole = { has_more: false, next_cursor: null };
/** Changes of a record: any of its fields, and at least one. */
export function atLeastOne<Shape extends z.ZodRawShape>(draft: z.ZodObject<Shape>) {
  const names = Object.keys(draft.shape);
  const some = names.length === 2 ? `${names.join(', ')} or both` : `at least one of ${names.join(', ')}`;
  const isAny = (changes: object) => Object.values(changes).some((value) => value !== undefined);
  return draft.partial().refine(isAny, { message: `must have ${some}` });
}
/** A body that may be left out. Without one, Fastify gives null to the schema. */
export const optionalBody = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((body) => body ?? {}, schema);
/** For a rotation of a secret. */
export const graceHours = optionalBody(
  z.object({
    grace_hours: z
      .int()
      .min(0)
      .max(maxGraceHours)
      .default(maxGraceHours)
      .describe('Hours for which the old secret still works.'),
  }),
);
export const noContent = z.undefined().describe('Success. The answer has no body.');

export const envelopeWith = (codes: readonly ErrorCode[]) =>
  z.object({
    error: z.object({
      code: z.enum(codes),
      message: z.string().describe('What is wrong, and what to do.'),
    }),
  });
export const errorEnvelope = envelopeWith(errorCodes).meta({ id: 'Error' });

const maxSentences = 5;

/** A 400 with a sentence for each wrong field. */
const refusal = (schema: z.ZodType, given: unknown, error: z.ZodError) =>
  invalid(explainIssues(schema, given, error).slice(0, maxSentences).join(' '));

/** How Fastify checks bodies, queries and paths. */
export const zodValidator: FastifySchemaCompiler<z.ZodType> =
  ({ schema }) =>
  (given: unknown) => {
    const { data: value, error } = schema.safeParse(given);
    return error ? { error: refusal(schema, given, error) } : { value };
  };

/** The same check for input that Fastify does not see. Raises `validation_error`. */
export function parseWith<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(given);
  if (error) throw refusal(schema, given, error);
  return data;
}
