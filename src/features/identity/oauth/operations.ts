import { z } from 'zod';
import { personally } from '../../../domain/access.ts';
import { limitReached } from '../../../domain/errors.ts';
import { authorize } from '../../../kernel/authorized.ts';
import { Answered } from '../../../kernel/context.ts';
import { command, query, stream } from '../../../kernel/operation.ts';
import { isoAfter } from '../../../lib/clock.ts';
import { issuerFor } from '../../../platform/http/oauth-issuer.ts';
import { checkRequest, clientOf, refusedTo } from './connect.ts';
import * as queries from './queries.ts';
import {
  authorizationRequest,
  codeLifetimeMs,
  grant,
  maxGrantsPerUser,
  newCode,
  OAuthRefusal,
  redirectWith,
  scopesAsked,
} from './schema.ts';

const own = { credential: 'session' } as const;

const ownGrant = authorize('Grant', ({ db, who }, id) => queries.find(db, who.userId, id));

export const listGrants = query({
  http: 'GET /api/grants',
  summary: 'List the assistants that you connected, and what each may do',
  access: own,
  answer: z.array(grant.meta({ id: 'Grant' })),
  run: ({ db, who, now }) => queries.list(db, who.userId, now),
});

export const revokeGrant = command({
  http: 'DELETE /api/grants/:id',
  summary: 'Disconnect an assistant; its tokens stop working at once',
  access: own,
  answer: 204,
  audit: ['grant.revoked'],
  async run(context, { id }) {
    await queries.revoke(context, await ownGrant(context, id));
  },
});

export const readAuthorizationRequest = stream({
  http: 'POST /api/oauth/request',
  summary: 'What the page of consent asks the person, or where to send the browser with the refusal',
  hidden: true,
  access: own,
  body: authorizationRequest,
  answer: z.object({
    redirect: z.string().optional(),
    client_name: z.string().optional(),
    redirect_uri: z.string().optional(),
    scopes: z.array(z.string()).optional(),
  }),
  async run({ db, parts, request }, { body }) {
    const client = await clientOf(db, body);
    const issuer = issuerFor(request, parts.config.publicUrl);
    const refusal = checkRequest(body, issuer);
    if (refusal) return { redirect: refusedTo(body, issuer, refusal) };
    return {
      client_name: client.name,
      redirect_uri: body.redirect_uri,
      scopes: scopesAsked(body.scope),
    };
  },
});

export const decideAuthorizationRequest = stream({
  http: 'POST /api/oauth/consent',
  summary: 'What the person allows the assistant, and where to send the browser with the answer',
  hidden: true,
  // A program with an app password of the person must not give others access.
  access: personally,
  body: z.object({
    request: authorizationRequest,
    scopes: z.array(z.string().max(2_000)).max(100).nullable(),
  }),
  answer: z.object({ redirect: z.string() }),
  audit: ['grant.made'],
  async run({ db, who, now, newId, parts, request, act }, { body }) {
    const { request: asked, scopes } = body;
    const client = await clientOf(db, asked);
    const issuer = issuerFor(request, parts.config.publicUrl);
    const allowed = scopesAsked(asked.scope).filter((scope) => scopes?.includes(scope));
    const refusal =
      checkRequest(asked, issuer) ??
      (allowed.length === 0 ? new OAuthRefusal('access_denied', 'The person did not allow it.') : undefined);
    const send = (redirect: string) =>
      new Answered({ redirect }, { headers: { 'cache-control': 'no-store' } });
    if (refusal) return send(refusedTo(asked, issuer, refusal));
    const { code, code_hash } = newCode();
    const code_expires_at = isoAfter(now, codeLifetimeMs);
    const made = {
      id: newId(),
      user_id: who.userId,
      client_id: client.id,
      scopes: allowed,
      resource: issuer.resource,
      redirect_uri: asked.redirect_uri,
      code_hash,
      code_challenge: asked.code_challenge ?? '',
      code_expires_at,
      created_at: now,
      expires_at: code_expires_at,
    };
    if (!(await act((context) => queries.addGrant(context, made, maxGrantsPerUser))))
      throw limitReached(`You can connect at most ${maxGrantsPerUser} assistants; disconnect one first.`);
    return send(redirectWith(asked.redirect_uri, { code, state: asked.state, iss: issuer.issuer }));
  },
});
