import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { anyone } from '../../../domain/access.ts';
import { AppError } from '../../../domain/errors.ts';
import type { ActingContext } from '../../../kernel/context.ts';
import { actingContext } from '../../../kernel/http.ts';
import type { Kernel } from '../../../kernel/run.ts';
import { parseWith } from '../../../kernel/schemas.ts';
import { characterCount, isOneLine, sameTextKey } from '../../../lib/text.ts';
import type { FailureThrottle } from '../../../platform/http/failure-throttle.ts';
import { issuerFor, resourceMetadataPath } from '../../../platform/http/oauth-issuer.ts';
import * as connect from './connect.ts';
import {
  assistantScopes,
  isRedirectUri,
  maxClientNameLength,
  maxRedirectUris,
  type OAuthErrorCode,
  OAuthRefusal,
} from './schema.ts';

const grantTypes = ['authorization_code', 'refresh_token'] as const;
const word = z.string().max(2_000);

const registration = z.object({
  redirect_uris: z.array(z.string()).min(1).max(maxRedirectUris),
  client_name: z.string().optional(),
});
const form = z.object({
  grant_type: word.optional(),
  client_id: word.optional(),
  code: word.optional(),
  code_verifier: word.optional(),
  redirect_uri: word.optional(),
  refresh_token: word.optional(),
  resource: word.optional(),
  token: word.optional(),
});

/** What assistants call to connect: metadata, registration, tokens (RFC 9728, 8414, 7591, 6749, 7009). */
export const oauthRoutes =
  (kernel: Kernel, failures: FailureThrottle): FastifyPluginAsync =>
  async (app) => {
    const { publicUrl, oauthRegistration } = kernel.parts.config;
    app.setErrorHandler(answerOAuth);
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_: FastifyRequest, body: string) => fieldsOf(body),
    );

    const route = (
      http: `${'GET' | 'POST'} /${string}`,
      handler: (context: ActingContext, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
    ) => {
      const [method = '', url = ''] = http.split(' ');
      app.route({
        method,
        url,
        config: { access: anyone },
        // OAuth says what these routes take and answer, and clients of it call them: not in openapi.json.
        schema: { hide: true },
        handler: (request, reply) => handler(actingContext(request, reply, kernel), request, reply),
      });
    };

    for (const path of ['/.well-known/oauth-protected-resource', resourceMetadataPath] as const)
      route(`GET ${path}`, async (_, request) => {
        const { issuer, resource } = issuerFor(request, publicUrl);
        return {
          resource,
          authorization_servers: [issuer],
          scopes_supported: assistantScopes,
          bearer_methods_supported: ['header'],
          resource_name: 'Steno',
        };
      });

    route('GET /.well-known/oauth-authorization-server', async (_, request) => {
      const { issuer } = issuerFor(request, publicUrl);
      return {
        issuer,
        authorization_endpoint: `${issuer}/oauth/authorize`,
        token_endpoint: `${issuer}/oauth/token`,
        ...(oauthRegistration ? { registration_endpoint: `${issuer}/oauth/register` } : {}),
        revocation_endpoint: `${issuer}/oauth/revoke`,
        scopes_supported: assistantScopes,
        response_types_supported: ['code'],
        grant_types_supported: grantTypes,
        token_endpoint_auth_methods_supported: ['none'],
        revocation_endpoint_auth_methods_supported: ['none'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
      };
    });

    if (oauthRegistration)
      route('POST /oauth/register', async (context, request, reply) => {
        const asked = readRegistration(request.body);
        const { id, name, redirect_uris, created_at } = await connect.register(context, asked, request.ip);
        return reply
          .code(201)
          .header('cache-control', 'no-store')
          .send({
            client_id: id,
            client_id_issued_at: Math.floor(Date.parse(created_at) / 1000),
            client_name: name,
            redirect_uris,
            // No client keeps a secret: each proves itself with PKCE.
            token_endpoint_auth_method: 'none',
            grant_types: grantTypes,
            response_types: ['code'],
          });
      });

    /** Counts codes and tokens that do not work, which slows down a program that guesses. */
    const counted = async <Result>(request: FastifyRequest, work: Promise<Result>): Promise<Result> => {
      try {
        return await work;
      } catch (refused) {
        if (!(refused instanceof OAuthRefusal)) throw refused;
        const failure = await failures.record(request.ip);
        throw failure.code === 'rate_limited' ? failure : refused;
      }
    };

    route('POST /oauth/token', async (context, request, reply) => {
      reply.header('cache-control', 'no-store');
      const given = parseWith(form, request.body ?? {});
      const { redirect_uri, resource } = given;
      const client_id = required(given, 'client_id', 'invalid_client');
      switch (given.grant_type) {
        case 'authorization_code': {
          const proof = { code: required(given, 'code'), code_verifier: required(given, 'code_verifier') };
          return counted(
            request,
            connect.tradeCode(context, { ...proof, client_id, redirect_uri, resource }),
          );
        }
        case 'refresh_token': {
          const refresh_token = required(given, 'refresh_token');
          return counted(request, connect.refresh(context, { refresh_token, client_id, resource }));
        }
        default:
          throw new OAuthRefusal('unsupported_grant_type', `grant_type must be ${grantTypes.join(' or ')}.`);
      }
    });

    route('POST /oauth/revoke', async (context, request) => {
      const given = parseWith(form, request.body ?? {});
      const [token, client_id] = [required(given, 'token'), required(given, 'client_id', 'invalid_client')];
      await connect.revokeByToken(context, token, client_id);
      return {};
    });
  };

function readRegistration(body: unknown): { name: string; redirect_uris: string[] } {
  const { data, error } = registration.safeParse(body);
  if (error)
    throw new OAuthRefusal(
      'invalid_client_metadata',
      `redirect_uris must be a list of 1 to ${maxRedirectUris} addresses, and client_name a text.`,
    );
  const { redirect_uris, client_name = '' } = data;
  if (!redirect_uris.every(isRedirectUri))
    throw new OAuthRefusal(
      'invalid_redirect_uri',
      'Each of redirect_uris must be https, http on localhost, or the private scheme of an app, without a fragment.',
    );
  const name = client_name.trim();
  if (characterCount(name) > maxClientNameLength || !isOneLine(name))
    throw new OAuthRefusal(
      'invalid_client_metadata',
      `client_name must be one line of at most ${maxClientNameLength} characters.`,
    );
  return { redirect_uris, name: sameTextKey(name) === '' ? 'Assistant' : name };
}

function required<Name extends keyof z.infer<typeof form>>(
  given: z.infer<typeof form>,
  name: Name,
  code: OAuthErrorCode = 'invalid_request',
): string {
  const value = given[name];
  if (value === undefined || value === '') throw new OAuthRefusal(code, `${name} is required.`);
  return value;
}

/** A field may be there once (RFC 6749, 3.2). */
function fieldsOf(body: string): Record<string, string> {
  const fields = [...new URLSearchParams(body)];
  const names = new Set(fields.map(([name]) => name));
  if (names.size < fields.length) throw new OAuthRefusal('invalid_request', 'Each field may be sent once.');
  if (fields.some(([, value]) => !value.isWellFormed() || value.includes('\0')))
    throw new OAuthRefusal('invalid_request', 'Each field must be valid text.');
  return Object.fromEntries(fields);
}

/** The form that OAuth gives to errors (RFC 6749, 5.2). Faults are answered as everywhere. */
async function answerOAuth(error: Error, _: FastifyRequest, reply: FastifyReply) {
  const refusal =
    error instanceof AppError && error.code === 'validation_error'
      ? new OAuthRefusal('invalid_request', error.message)
      : error;
  if (!(refusal instanceof OAuthRefusal)) throw error;
  return reply
    .code(refusal.code === 'invalid_client' ? 401 : 400)
    .header('cache-control', 'no-store')
    .send({ error: refusal.code, error_description: refusal.message });
}
