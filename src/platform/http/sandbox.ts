import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorCode, errorStatus, invalid } from '../../domain/errors.ts';
import { internalMessage } from './errors.ts';

const header = 'steno-sandbox-error';
const codes = Object.keys(errorStatus);

interface Example {
  message: string;
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
}

/** An example of each error. */
export const errorExamples: Record<ErrorCode, Example> = {
  validation_error: { message: 'title must be a string.' },
  limit_reached: { message: 'You can have at most 5 active keys; revoke one first.' },
  invalid_api_key: { message: 'Send a valid API key as "Authorization: Bearer <key>".' },
  invalid_code: { message: 'This code is wrong or expired; check it or ask for a new one.' },
  forbidden: { message: 'This key lacks the scope notes:write; use a key that has it.' },
  plan_required: { message: 'The plan free does not include transcription; change to pro or business.' },
  not_found: { message: 'Note not found' },
  no_transcript: { message: 'This note has no transcript.' },
  method_not_allowed: {
    message: 'GET is not allowed here; use POST, OPTIONS.',
    headers: { allow: 'POST, OPTIONS' },
  },
  conflict: { message: 'A folder with this name already exists.' },
  concurrency_limit: {
    message: 'A transcription is already running on this key; wait for it to end.',
    retryAfterSeconds: 5,
  },
  note_version_conflict: {
    message: 'The note has changed since you read it. Read it again, then change it.',
  },
  precondition_failed: {
    message: 'Tus-Resumable must be 1.0.0: this is the only version that the server speaks.',
  },
  unsupported_media_type: { message: 'Content-Type must be application/offset+octet-stream.' },
  range_not_satisfiable: {
    message: 'Range must begin before byte 1024.',
    headers: { 'content-range': 'bytes */1024' },
  },
  payload_too_large: { message: 'The request body must not exceed 1 MiB.' },
  rate_limited: {
    message: 'Too many requests. Wait as long as Retry-After says.',
    retryAfterSeconds: 1,
    headers: { 'x-ratelimit-remaining': '0' },
  },
  too_many_attempts: { message: 'Too many wrong tries with this code; ask for a new one.' },
  quota_exceeded: { message: 'The audio minutes of this month are used up. They reset on 2030-01-01.' },
  internal_error: { message: internalMessage },
  service_unavailable: { message: 'Transcription is paused; try again later.', retryAfterSeconds: 30 },
};

/** `Steno-Sandbox-Error: <code>` answers with that error. Only `steno serve --sandbox` registers this, no setting does. */
export async function answerWithWantedError(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const wanted = request.headers[header];
  if (wanted === undefined) return;
  const code = codes.find((name): name is ErrorCode => name === wanted);
  if (code === undefined) throw invalid(`Steno-Sandbox-Error must be one of ${codes.join(', ')}.`);
  const { message, headers = {}, ...options } = errorExamples[code];
  reply.headers(headers);
  throw new AppError(code, message, options);
}
