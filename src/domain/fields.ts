import { z } from 'zod';

export const id = z.uuid();
/** ISO 8601 in UTC with milliseconds. Such texts sort by time. */
export const timestamp = z.iso.datetime({ precision: 3 });
