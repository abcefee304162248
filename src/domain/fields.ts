import { z } from 'zod';

/** Kinds of fields that many resources have. */
export const id = z.uuid();
/** ISO 8601, UTC, milliseconds, `Z`: as text, times sort by themselves. */
export const timestamp = z.iso.datetime({ precision: 3 });
