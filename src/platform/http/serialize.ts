import type { FastifySerializerCompiler } from 'fastify';
import { z } from 'zod';
import { per } from '../../lib/per.ts';
import { objectPicker as pickFields } from '../../lib/shape.ts';

type Pick = (value: unknown) => unknown;

/**
 * A response schema is a filter: a field that it does not name is never sent. It does not check the values, because checking
 * with Zod took a tenth of the time of a point read. The tests check every answer against openapi.json instead.
 */
export const pickingSerializer: FastifySerializerCompiler<z.ZodType> = ({ schema }) => {
  const pick = pickerOf(schema);
  return (data) => JSON.stringify(pick(data));
};

/**
 * The same filter for records of which a client wants some fields. They have no other names: JSON.stringify took five times as
 * long for 4 fields among 27 that were undefined.
 */
export function leanSerializer(answer: z.ZodObject, record: z.ZodObject) {
  const { data: _, ...rest } = answer.shape;
  const pickRest = objectPicker(z.object(rest));
  const pickerOfFields = per((wanted: ReadonlySet<string>) => {
    const shape = Object.entries(record.shape).filter(([name]) => wanted.has(name));
    return objectPicker(z.object(Object.fromEntries(shape)));
  });
  return ({ data, ...others }: { data: unknown }, wanted: ReadonlySet<string>): string => {
    const pick = pickerOfFields(wanted);
    const lean = Array.isArray(data) ? data.map(pick) : pick(data);
    return JSON.stringify({ data: lean, ...Object(pickRest(others)) });
  };
}

const asItIs: Pick = (value) => value;

/** Throws at start for a kind of schema without a rule, so that nothing is sent unfiltered. */
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
    // An object differs from a text, but with two kinds of objects the wrong one might be picked.
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
  throw new Error(`Cannot filter answers by a schema of the kind ${schema._zod.def.type}; add a rule.`);
}

function objectPicker(schema: z.ZodObject): Pick {
  const picks = Object.entries(schema.shape).map(([name, field]) => {
    const pick = pickerOf(field);
    // With `fields`, an object inside a record may be missing.
    const pickIfThere: Pick = (value) => (value === undefined ? undefined : pick(value));
    return [name, pick === asItIs ? undefined : field instanceof z.ZodObject ? pickIfThere : pick] as const;
  });
  return pickFields(Object.fromEntries(picks));
}
