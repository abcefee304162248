import type { FastifyRequest } from 'fastify';
import { originOf } from './origin.ts';

export const resourceMetadataPath = '/.well-known/oauth-protected-resource/mcp';

/** This server, under the address that the caller used: the issuer, and what its tokens are for. */
export interface Issuer {
  issuer: string;
  resource: string;
}

/** This server under the address at which people reach it. */
export function issuerFor(request: FastifyRequest, publicUrl: string): Issuer {
  const issuer = publicUrl === '' ? originOf(request) : new URL(publicUrl).origin;
  return { issuer, resource: `${issuer}/mcp` };
}

/** What a 401 asks for. Assistants learn from it where to connect (RFC 9728, 5.1). */
export function challengeFor(request: FastifyRequest, publicUrl: string): string {
  if (request.routeOptions.url !== '/mcp') return 'Bearer';
  const { issuer } = issuerFor(request, publicUrl);
  const error = request.headers.authorization === undefined ? '' : 'error="invalid_token", ';
  return `Bearer ${error}resource_metadata="${issuer}${resourceMetadataPath}"`;
}
