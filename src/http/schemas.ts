import { z } from 'zod';
import { errorStatus } from '../domain/errors.ts';

/** Pieces that several routes share. A name given with `meta({ id })` becomes a component of the OpenAPI document. */
export const timestamp = z.iso.datetime({ precision: 3 });
/** Ids are stored in lower case; RFC 9562 lets a client send either. */
export const idInput = z.uuid().toLowerCase();
export const pathId = z.object({ id: z.string().toLowerCase() });
export const spaceId = idInput
  .optional()
  .describe('Team space: required with a workspace key, refused with a personal one.');

export const limit = (max: number, fallback: number) =>
  z.coerce.number().int().min(1).max(max).default(fallback).describe(`How many to return, 1 to ${max}.`);
export const cursor = z.string().optional().describe('`next_cursor` of the page before.');

export const dataOf = <Schema extends z.ZodType>(schema: Schema) => z.object({ data: schema });
export const pageOf = <Schema extends z.ZodType>(schema: Schema) =>
  z.object({ data: z.array(schema), has_more: z.boolean(), next_cursor: z.string().nullable() });
export const noContent = z.undefined().describe('Done; no body.');

const codes = Object.keys(errorStatus);
export const errorEnvelope = z
  .object({
    error: z.object({
      code: z.enum(codes),
      message: z.string().describe('One sentence that says what to do.'),
    }),
  })
  .meta({ id: 'Error' });
