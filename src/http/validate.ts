import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { AppError } from '../domain/errors.ts';
import { explainIssues } from '../lib/explain-issues.ts';

const maxSentences = 5;

/** A 400 with a sentence for each wrong field. */
const refusal = (schema: z.ZodType, given: unknown, error: z.ZodError) =>
  new AppError('validation_error', explainIssues(schema, given, error).slice(0, maxSentences).join(' '));

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
