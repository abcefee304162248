import { z } from 'zod';
import { type AppError, type ErrorCode, errorCodes, errorStatus } from '../../domain/errors.ts';
import { envelopeWith, errorEnvelope } from '../../kernel/schemas.ts';

/** Below `/v1`, answers have the shapes of OpenAI's API, so that programs made for it can use Steno (docs/transcribe.md). */
export const isOpenAiPath = (url: string) => /^\/v1(\/|\?|$)/.test(url);

const openAiEnvelopeWith = (codes: readonly ErrorCode[]) =>
  z.object({
    error: z.object({
      message: z.string().describe('What is wrong, and what to do.'),
      type: z.enum(['invalid_request_error', 'requests', 'insufficient_quota', 'server_error']),
      param: z.string().nullable().describe('The field that is wrong, if it is one.'),
      code: z.enum(codes),
    }),
  });
const openAiErrorEnvelope = openAiEnvelopeWith(errorCodes).meta({ id: 'OpenAiError' });

/** How a route answers an error: with any code, or with one of these. */
export const errorEnvelopeOf = (url: string) => (isOpenAiPath(url) ? openAiErrorEnvelope : errorEnvelope);
export const errorSchema = (url: string, codes: readonly ErrorCode[]) =>
  isOpenAiPath(url) ? openAiEnvelopeWith(codes) : envelopeWith(codes);

/** The code is ours; the rest is what such programs look at. */
export const openAiEnvelope = ({ code, message }: Pick<AppError, 'code' | 'message'>) => ({
  error: { message, type: typeOf(code), param: paramIn(code, message), code },
});

function typeOf(code: ErrorCode) {
  if (code === 'quota_exceeded') return 'insufficient_quota';
  if (code === 'rate_limited') return 'requests';
  return errorStatus[code] < 500 ? 'invalid_request_error' : 'server_error';
}

/** Our messages begin with the name of the field: "language must be …", "The file is not audio …". */
const paramIn = (code: ErrorCode, message: string) =>
  (code === 'validation_error' && /^(?:The )?(file|language|[a-z_]+(?= must ))/.exec(message)?.[1]) || null;
