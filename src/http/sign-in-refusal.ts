import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../domain/errors.ts';

/** Everything the people's door refuses, with the status, code and text that its clients know from better-auth. */
const refusals = {
  INVALID_OTP: [400, 'Invalid OTP'],
  OTP_EXPIRED: [400, 'OTP expired'],
  TOO_MANY_ATTEMPTS: [403, 'Too many attempts'],
  INVALID_LINK: [401, 'This link was used or is over 15 minutes old; ask for a new one.'],
  LINK_NOT_OPENED_HERE: [403, 'Open the link in this browser first, then press its button there.'],
  INVALID_ORIGIN: [403, 'Invalid origin'],
  MISSING_OR_NULL_ORIGIN: [403, 'Missing or null Origin'],
  VALIDATION_ERROR: [400, 'Validation Error'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

/** Answered as `{ code, message }` and not as our envelope, which the clients of this door do not know. */
export class SignInRefusal extends Error {
  readonly code: keyof typeof refusals;

  constructor(code: keyof typeof refusals, message: string = refusals[code][1]) {
    super(message);
    this.code = code;
  }
}

/** Whatever else went wrong is answered as on every other route. */
export async function answerRefusal(error: Error, _: FastifyRequest, reply: FastifyReply) {
  if (!(error instanceof SignInRefusal)) throw error;
  const { code, message } = error;
  // As text: the response schemas of errors know the envelope only.
  const body = JSON.stringify({ code, message });
  return reply.code(refusals[code][0]).type('application/json; charset=utf-8').send(body);
}

/** For the routes that tell what is wrong with the input in this form too. */
export const answerBadInput = (error: Error, request: FastifyRequest, reply: FastifyReply) =>
  answerRefusal(
    error instanceof AppError && error.code === 'validation_error'
      ? new SignInRefusal('VALIDATION_ERROR', error.message)
      : error,
    request,
    reply,
  );
