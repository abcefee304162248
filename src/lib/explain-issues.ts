import { z } from 'zod';
import { per } from './per.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A list of 500,000 wrong items has that many issues, too many to read. */
const mostIssues = 50;
const jsonSchemaOf = per(
  (schema: z.ZodType): JsonSchema => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
);

/**
 * One sentence for each wrong field. It names the field and says what would be right: "limit must be a whole number from
 * 1 to 100." A message of our own in a schema is such a sentence without the name of the field.
 */
export function explainIssues(
  schema: z.ZodType,
  given: unknown,
  { issues }: z.ZodError,
  whole = 'The request body',
): string[] {
  const sentences = issues
    .slice(0, mostIssues)
    .map((issue) => `${nameOf(issue.path) || whole} ${predicateOf(issue, schema, given)}.`);
  return [...new Set(sentences)];
}

/** `words[3].text` */
export const nameOf = (path: readonly PropertyKey[]) =>
  path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`))
    .join('');

function predicateOf(issue: z.core.$ZodIssue, schema: z.ZodType, given: unknown): string {
  if (issue.code === 'custom' || issue.message.startsWith('must ')) return issue.message;
  if (issue.code === 'unrecognized_keys')
    return `has no ${issue.keys.length === 1 ? 'field' : 'fields'} ${issue.keys.join(', ')}`;
  const wanted = phraseFor(issue.path.reduce(step, jsonSchemaOf(schema)));
  const right = wanted ?? (issue.code === 'invalid_value' ? `one of ${issue.values.join(', ')}` : 'valid');
  const value = issue.path.reduce<unknown>((inside, key) => Object(inside)[key], given);
  return value === undefined ? `is required and must be ${right}` : `must be ${right}`;
}

function step(schema: JsonSchema, key: PropertyKey): JsonSchema {
  for (const { properties, items } of [schema, ...(schema.anyOf ?? [])]) {
    const inner = properties?.[String(key)] ?? (typeof key === 'number' ? items : undefined);
    if (typeof inner === 'object' && !Array.isArray(inner)) return inner;
  }
  return {};
}

/** "a whole number from 1 to 100", "one of personal, meeting, upload", "a string or null"; undefined if unknown. */
function phraseFor(schema: JsonSchema): string | undefined {
  // Zod shortens "a string or null" to a list of types.
  const kinds = Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : schema.anyOf;
  if (kinds) {
    const phrases = kinds.map(phraseFor);
    return phrases.includes(undefined) ? undefined : phrases.join(' or ');
  }
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  if (schema.const !== undefined) return schema.const === '' ? 'empty' : String(schema.const);
  const { minLength = 0, maxLength, minItems = 0, maxItems } = schema;
  switch (schema.type) {
    case 'string':
      return formats[schema.format ?? ''] ?? `a string${sizeIn('characters', minLength, maxLength)}`;
    case 'integer':
      return `a whole number${rangeOf(schema)}`;
    case 'number':
      return `a number${rangeOf(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list${sizeIn('items', minItems, maxItems)}`;
    case 'object':
      return 'an object';
    case 'null':
      return 'null';
    default:
      return undefined;
  }
}

const formats: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  'date-time': 'a UTC time like 2026-01-31T12:00:00.000Z',
  uri: 'a URL',
};

function sizeIn(unit: string, min: number, max: number | undefined): string {
  if (max !== undefined) return min > 0 ? ` of ${min} to ${max} ${unit}` : ` of at most ${max} ${unit}`;
  return min > 0 ? ` of at least ${min} ${min === 1 ? unit.slice(0, -1) : unit}` : '';
}

/** Leaves out the bounds of JavaScript's whole numbers, which Zod always adds. */
function rangeOf({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  const from = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  const to = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (from !== undefined && to !== undefined) return ` from ${from} to ${to}`;
  if (from !== undefined) return ` of at least ${from}`;
  if (to !== undefined) return ` of at most ${to}`;
  return exclusiveMinimum === 0 ? ' above 0' : '';
}
