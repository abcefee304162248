import type { RouteOptions } from 'fastify';
import { z } from 'zod';
import { anyone } from '../domain/access.ts';
import { type ErrorCode, errorCodes, errorStatus } from '../domain/errors.ts';
import { envelopeWith } from './schemas.ts';

/** The codes that a route can answer with, by status and in the order of the table. */
export function errorsByStatus(route: RouteOptions): Map<number, ErrorCode[]> {
  const possible = codesOf(route);
  return Map.groupBy(
    errorCodes.filter((code) => possible.has(code)),
    (code) => errorStatus[code],
  );
}

/** What follows from what the route says of itself; the rest it names in `config.errors`. */
function codesOf({ method, url, config }: RouteOptions): Set<ErrorCode> {
  const { access = anyone, errors = [] } = config ?? {};
  // Any request can be malformed, and any can meet a database that does not answer.
  const codes = new Set<ErrorCode>(['validation_error', 'internal_error', 'service_unavailable', ...errors]);
  if (method !== 'GET') codes.add('payload_too_large');
  if (url.includes('/:')) codes.add('not_found');
  if (access.credential !== 'none') codes.add('invalid_api_key').add('rate_limited');
  if (access.credential !== 'none' && access.credential !== 'any key') codes.add('forbidden');
  if (access.credential === 'key' && access.plan !== undefined) codes.add('plan_required');
  return codes;
}

/** The answer with one of these codes as a component of the document, the same for all routes that give it. */
export function errorAnswer(codes: readonly ErrorCode[]) {
  const { $schema, ...schema } = z.toJSONSchema(envelopeWith(codes));
  const description = codes.map((code) => `\`${code}\``).join(' or ');
  return { name: codes.join('_or_'), answer: { description, content: { 'application/json': { schema } } } };
}
