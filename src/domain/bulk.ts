import { z } from 'zod';
import { type AppError, errorCodes, fieldIn } from './errors.ts';

export const maxBulkRows = 100;
export const rowsPerRequest = 10;

/** How many requests a call with so many rows counts as. */
export const weightOfRows = (rows: number) => Math.ceil(rows / rowsPerRequest);

export const rowError = z.object({
  code: z.enum(errorCodes),
  message: z.string().describe('What is wrong with this row, and what to do.'),
  param: z.string().nullable().describe('The field that is wrong.'),
});

/** What happened to one row of a bulk request. */
export interface RowOutcome<Data> {
  status: number;
  data: Data | null;
  error: z.infer<typeof rowError> | null;
}

export const refusedRow = (cause: AppError): RowOutcome<never> => ({
  status: cause.status,
  data: null,
  error: { code: cause.code, message: cause.message, param: fieldIn(cause) ?? null },
});
