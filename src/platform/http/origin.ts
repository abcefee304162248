import type { FastifyRequest } from 'fastify';

/** The address that the caller used, such as `https://notes.example.org`. Headers of untrusted proxies do not count. */
export function originOf(request: FastifyRequest): string {
  const origin = `${request.protocol}://${request.host}`;
  return URL.canParse(origin) ? new URL(origin).origin : 'http://localhost';
}

/** True when the page that sent the request was served by this server. */
export function isOwnOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const { origin } = request.headers;
  return origin === originOf(request) || (publicUrl !== '' && origin === new URL(publicUrl).origin);
}
