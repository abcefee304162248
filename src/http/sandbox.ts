import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorCode, errorStatus } from '../domain/errors.ts';
import { internalMessage } from './errors.ts';

const header = 'steno-sandbox-error';
const codes = Object.keys(errorStatus);

interface Example {
  message: string;
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
}

/** What each error looks like when it is real. */
const examples: Record<ErrorCode, Example> = {
  validation_error: { message: 'title must be a string.' },
  limit_reached: { message: 'You have 5 active keys, the most there can be. Revoke one first.' },
  invalid_api_key: { message: 'The API key is missing, malformed, expired or revoked.' },
  invalid_code: { message: 'The code is wrong or expired.' },
  forbidden: { message: 'This key lacks the scope notes:write.' },
  plan_required: { message: 'This call needs the plan pro or business.' },
  not_found: { message: 'Note not found' },
  no_transcript: { message: 'This note has no transcript.' },
  method_not_allowed: {
    message: 'GET is not allowed here; use POST, OPTIONS.',
    headers: { allow: 'POST, OPTIONS' },
  },
  conflict: { message: 'A folder with this name exists already.' },
  concurrency_limit: { message: 'A transcription is already running on this key.', retryAfterSeconds: 5 },
  payload_too_large: { message: 'The file is over 4 MiB.' },
  rate_limited: {
    message: 'Too many requests; wait as long as Retry-After says.',
    retryAfterSeconds: 1,
    headers: { 'x-ratelimit-remaining': '0' },
  },
  too_many_attempts: { message: 'Too many wrong codes; ask for a new one.' },
  quota_exceeded: { message: 'The audio minutes of this month are used up. They reset on 2030-01-01.' },
  internal_error: { message: internalMessage },
  service_unavailable: { message: 'Transcription is paused; try again later.', retryAfterSeconds: 30 },
};

/** `Steno-Sandbox-Error: <code>` gives that error. Only `steno serve --sandbox` registers this; no setting can. */
export async function answerWithWantedError(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const wanted = request.headers[header];
  if (wanted === undefined) return;
  const code = codes.find((name): name is ErrorCode => name === wanted);
  if (code === undefined)
    throw new AppError('validation_error', `Steno-Sandbox-Error must be one of ${codes.join(', ')}.`);
  const { message, headers = {}, ...options } = examples[code];
  reply.headers(headers);
  throw new AppError(code, message, options);
}
