import type { FastifySerializerCompiler } from 'fastify';
import { z } from 'zod';

type Pick = (value: unknown) => unknown;

/**
 * A response schema is a filter: what it does not name never leaves. It picks and does not check, because checking each
 * answer by Zod took a tenth of a point read; the tests hold every answer against openapi.json instead.
 */
export const pickingSerializer: FastifySerializerCompiler<z.ZodType> = ({ schema }) => {
  const pick = pickerOf(schema);
  return (data) => JSON.stringify(pick(data));
};

const asItIs: Pick = (value) => value;

/** Fails at start for a kind of schema it has no rule for, so that none passes unfiltered. */
function pickerOf(schema: z.core.$ZodType): Pick {
  if (schema instanceof z.ZodObject) return objectPicker(schema);
  if (schema instanceof z.ZodArray) {
    const pick = pickerOf(schema.element);
    return (value) => (Array.isArray(value) && pick !== asItIs ? value.map(pick) : value);
  }
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    const pick = pickerOf(schema.unwrap());
    return pick === asItIs
      ? asItIs
      : (value) => (value === null || value === undefined ? value : pick(value));
  }
  if (schema instanceof z.ZodUnion) {
    const [pick = asItIs, ...others] = schema.options.map(pickerOf).filter((picker) => picker !== asItIs);
    // An object or a text can be told apart; of two kinds of objects the wrong one might be picked.
    if (others.length === 0)
      return (value) => (typeof value === 'object' && value !== null ? pick(value) : value);
  }
  const plain = [
    z.ZodString,
    z.ZodStringFormat,
    z.ZodNumber,
    z.ZodBoolean,
    z.ZodEnum,
    z.ZodLiteral,
    z.ZodUndefined,
  ];
  if (plain.some((kind) => schema instanceof kind)) return asItIs;
  throw new Error(`No rule to filter an answer by a schema of the kind ${schema._zod.def.type}.`);
}

function objectPicker(schema: z.ZodObject): Pick {
  const fields = Object.entries(schema.shape).map(([name, field]) => ({ name, pick: pickerOf(field) }));
  return (value) => {
    const picked: Record<string, unknown> = {};
    // Handlers are typed by the same schema, so this is an object with these fields.
    const given = value as Record<string, unknown>;
    for (const { name, pick } of fields) picked[name] = pick(given[name]);
    return picked;
  };
}
