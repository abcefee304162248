import type { RouteOptions } from 'fastify';
import { z } from 'zod';
import { anyone } from '../../domain/access.ts';
import { type ErrorCode, errorCodes, errorStatus } from '../../domain/errors.ts';
import { envelope } from './errors.ts';
import { errorSchema, isOpenAiPath, openAiEnvelope } from './openai-errors.ts';
import { errorExamples } from './sandbox.ts';

/** The error codes of a route by status, in the order of the table of errors. */
export function errorsByStatus(route: RouteOptions): Map<number, ErrorCode[]> {
  const possible = codesOf(route);
  return Map.groupBy(
    errorCodes.filter((code) => possible.has(code)),
    (code) => errorStatus[code],
  );
}

/** Most codes follow from the definition of the route. It names the others in `config.errors`. */
function codesOf({ method, url, config }: RouteOptions): Set<ErrorCode> {
  const { access = anyone, errors = [], idempotent = false } = config ?? {};
  // Any request can be malformed, and the database may not answer.
  const codes = new Set<ErrorCode>(['validation_error', 'internal_error', 'service_unavailable', ...errors]);
  if (method !== 'GET') codes.add('payload_too_large');
  if (idempotent) codes.add('conflict');
  if (url.includes('/:')) codes.add('not_found');
  if (access.credential !== 'none') codes.add('invalid_api_key').add('rate_limited').add('forbidden');
  if (access.credential === 'key' && access.plan !== undefined) codes.add('plan_required');
  return codes;
}

/** An answer with one of these codes. Routes with the same codes share one component of the document. */
export function errorAnswer(codes: readonly ErrorCode[], path: string) {
  const { $schema, ...schema } = z.toJSONSchema(errorSchema(path, codes));
  const description = codes.map((code) => `\`${code}\``).join(' or ');
  return {
    name: (isOpenAiPath(path) ? 'openai_' : '') + codes.join('_or_'),
    answer: { description, content: { 'application/json': { schema, examples: examplesOf(codes, path) } } },
  };
}

/** The same that the sandbox answers. */
const examplesOf = (codes: readonly ErrorCode[], path: string) =>
  Object.fromEntries(
    codes.map((code) => {
      const { message } = errorExamples[code];
      return [
        code,
        { value: isOpenAiPath(path) ? openAiEnvelope({ code, message }) : envelope(code, message) },
      ];
    }),
  );
