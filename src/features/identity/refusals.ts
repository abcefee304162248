import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import { AccountSuspended } from '../../domain/user.ts';

/** Every refusal of the sign-in routes, with the status, code and text that clients know from better-auth. */
const refusals = {
  INVALID_OTP: [400, 'Invalid OTP'],
  OTP_EXPIRED: [400, 'OTP expired'],
  TOO_MANY_ATTEMPTS: [403, 'Too many attempts'],
  INVALID_LINK: [401, 'This link has been used or is more than 15 minutes old; ask for a new one.'],
  LINK_NOT_OPENED_HERE: [403, 'Open the link in this browser, then press the button on its page.'],
  INVALID_INVITATION: [
    404,
    'This invitation was answered, revoked or sent again, or is more than 14 days old; ask for a new one.',
  ],
  ACCOUNT_EXISTS: [409, 'This address has an account. Sign in with it to accept the invitation.'],
  CODE_REQUIRED: [403, 'An admin was shown this link, so sign in with a code by e-mail to accept.'],
  PROVIDER_ONLY: [403, 'Here people sign in with the provider of their organisation.'],
  STATE_MISMATCH: [400, 'This sign-in began in another browser or too long ago; begin again.'],
  PROVIDER_REFUSED: [401, 'The sign-in provider did not let you in.'],
  EMAIL_NOT_VERIFIED: [403, 'The sign-in provider has not verified your address.'],
  SIGNUP_DISABLED: [403, 'This server does not let you sign in; ask its operator.'],
  INVALID_EMAIL_OR_PASSWORD: [401, 'Invalid email or password'],
  INVALID_TOKEN: [400, 'Invalid token'],
  AUTHENTICATION_FAILED: [401, 'Authentication failed'],
  FAILED_TO_VERIFY_REGISTRATION: [400, 'Failed to verify registration'],
  PREVIOUSLY_REGISTERED: [400, 'Previously registered'],
  TOO_MANY_PASSKEYS: [400, 'You have 20 passkeys; remove one first.'],
  PASSKEY_NOT_FOUND: [404, 'Passkey not found'],
  INVALID_CALLBACK_URL: [403, 'Invalid callbackURL'],
  ACCOUNT_SUSPENDED: [403, 'This account is suspended. Ask the operator of this server.'],
  INVALID_ORIGIN: [403, 'Invalid origin'],
  MISSING_OR_NULL_ORIGIN: [403, 'Missing or null Origin'],
  VALIDATION_ERROR: [400, 'Validation Error'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type RefusalCode = keyof typeof refusals;

/** Sent as `{ code, message }`, because clients of the sign-in routes do not know our envelope. */
export class SignInRefusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string = refusals[code][1]) {
    super(message);
    this.code = code;
  }
}

/** All other errors are answered as on every other route. */
export async function answerRefusal(error: Error, _: FastifyRequest, reply: FastifyReply) {
  const refusal =
    error instanceof AccountSuspended ? new SignInRefusal('ACCOUNT_SUSPENDED', error.message) : error;
  if (!(refusal instanceof SignInRefusal)) throw error;
  const { code, message } = refusal;
  // As text, because the response schemas of errors only know the envelope.
  const body = JSON.stringify({ code, message });
  return reply.code(refusals[code][0]).type('application/json; charset=utf-8').send(body);
}

/** For routes that also answer wrong input in this form. */
export const answerBadInput = (error: Error, request: FastifyRequest, reply: FastifyReply) =>
  answerRefusal(
    error instanceof AppError && error.code === 'validation_error'
      ? new SignInRefusal('VALIDATION_ERROR', error.message)
      : error,
    request,
    reply,
  );
