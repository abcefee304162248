import { hashSecret } from '../../../domain/api-key.ts';
import { AppError, invalid } from '../../../domain/errors.ts';
import { dayMs } from '../../../domain/rate-limit.ts';
import type { ActingContext } from '../../../kernel/context.ts';
import { isoAfter } from '../../../lib/clock.ts';
import { networkOf } from '../../../lib/network.ts';
import { seal, sealingKey, unseal } from '../../../lib/seal.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Issuer } from '../../../platform/http/oauth-issuer.ts';
import * as queries from './queries.ts';
import {
  type AuthorizationRequest,
  answersChallenge,
  familyOf,
  isChallenge,
  matchesRedirect,
  newTokens,
  type OAuthClient,
  OAuthRefusal,
  redirectWith,
  refreshLeewayMs,
  sameResource,
  scopesAsked,
  type TokenPair,
} from './schema.ts';

/** Clients of one network are counted for a day, and a client that no person has allowed anything is kept for a day. */
const registrationMs = dayMs;
const maxClientsPerNetwork = 100;
/** Clients without a grant, in all. Beyond, the oldest go: refusing new ones would let a flood lock all assistants out. */
const maxWaitingClients = 5_000;
const forgottenAfterMs = 90 * dayMs;

export interface Tokens {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  refresh_token: string;
  scope: string;
}

/** What these functions use: they act for a client, and no credential of a person calls them. */
type Acting = Pick<ActingContext<unknown>, 'act' | 'now' | 'newId'>;

/** Raises an error for the person, who must not be sent to an address that no client registered. */
export async function clientOf(db: Db, request: AuthorizationRequest): Promise<OAuthClient> {
  const client = await queries.findClient(db, request.client_id);
  if (!client)
    throw new AppError(
      'not_found',
      'This server does not know the assistant. Connect it again from the start.',
    );
  if (!client.redirect_uris.some((known) => matchesRedirect(known, request.redirect_uri)))
    throw invalid('redirect_uri must be an address that the assistant registered. Nothing was allowed.');
  return client;
}

/** Errors that go to the client, at its own address. */
export function checkRequest(request: AuthorizationRequest, { resource }: Issuer): OAuthRefusal | undefined {
  const { response_type, code_challenge = '', code_challenge_method } = request;
  if (response_type !== 'code')
    return new OAuthRefusal('unsupported_response_type', 'response_type must be code.');
  if (code_challenge_method !== 'S256' || !isChallenge(code_challenge))
    return new OAuthRefusal('invalid_request', 'A code_challenge with the method S256 is required.');
  if (request.resource !== undefined && !sameResource(request.resource, resource))
    return new OAuthRefusal('invalid_target', `resource must be ${resource}.`);
  if (scopesAsked(request.scope).length === 0)
    return new OAuthRefusal('invalid_scope', 'None of these scopes can be given to an assistant.');
  return undefined;
}

export const refusedTo = (request: AuthorizationRequest, { issuer }: Issuer, refusal: OAuthRefusal) =>
  redirectWith(request.redirect_uri, {
    error: refusal.code,
    error_description: refusal.message,
    state: request.state,
    iss: issuer,
  });

/** Any program may. Raises `rate_limited`. */
export async function register(
  { act, now, newId }: Acting,
  { name, redirect_uris }: Pick<OAuthClient, 'name' | 'redirect_uris'>,
  address: string,
): Promise<OAuthClient> {
  const client = {
    id: newId(),
    name,
    redirect_uris,
    network: networkOf(address),
    created_at: now,
    used_at: null,
  };
  const bounds = {
    since: isoAfter(now, -registrationMs),
    perNetwork: maxClientsPerNetwork,
    waiting: maxWaitingClients,
  };
  if (await act(({ tx }) => queries.addClient(tx, client, bounds))) return client;
  throw new AppError('rate_limited', 'Too many assistants were registered from this address today.', {
    retryAfterSeconds: 3_600,
  });
}

/** Raises an `OAuthRefusal`. */
export async function tradeCode(
  { act, now }: Acting,
  given: {
    code: string;
    client_id: string;
    code_verifier: string;
    redirect_uri?: string | undefined;
    resource?: string | undefined;
  },
): Promise<Tokens> {
  const { client_id, code_verifier, redirect_uri, resource } = given;
  const made = newTokens(Date.parse(now));
  const proof: Parameters<typeof queries.useCode>[1] = {
    code_hash: hashSecret(given.code),
    now,
    matches: (grant) =>
      grant.client_id === client_id &&
      (redirect_uri === undefined || grant.redirect_uri === redirect_uri) &&
      (resource === undefined || sameResource(resource, grant.resource)) &&
      answersChallenge(code_verifier, grant.code_challenge),
  };
  const scopes = await act((context) => queries.useCode(context, proof, made.hashes));
  if (!scopes) throw doesNotWork('code');
  return answer(made, scopes, now);
}

/** A token that was sent again because its answer was lost gets the same pair. Raises an `OAuthRefusal`. */
export async function refresh(
  { act, now }: Acting,
  given: { refresh_token: string; client_id: string; resource?: string | undefined },
): Promise<Tokens> {
  const { refresh_token, client_id, resource } = given;
  const family = familyOf(refresh_token);
  if (family === undefined) throw doesNotWork('refresh token');
  const { hashes, ...made } = newTokens(Date.parse(now), family);
  const key = sealingKey('refresh token', refresh_token);
  const proof: Parameters<typeof queries.refresh>[1] = {
    family_hash: hashSecret(family),
    refresh_hash: hashSecret(refresh_token),
    now,
    leewaySince: isoAfter(now, -refreshLeewayMs),
    matches: (grant) =>
      grant.client_id === client_id && (resource === undefined || sameResource(resource, grant.resource)),
    gave: (successor) => unseal(key, successor) !== undefined,
  };
  const successor = seal(key, JSON.stringify(made));
  const refreshed = await act((context) => queries.refresh(context, proof, { ...hashes, successor }));
  if (!refreshed) throw doesNotWork('refresh token');
  const earlier = refreshed.successor && unseal(key, refreshed.successor);
  const pair: TokenPair = earlier ? JSON.parse(earlier) : made;
  return answer(pair, refreshed.scopes, now);
}

/** Ends the grant of this token. The answer is the same if there was none. */
export const revokeByToken = ({ act }: Acting, token: string, clientId: string): Promise<void> =>
  act((context) => queries.revokeByToken(context, hashSecret(token), clientId));

/** For the housekeeping. */
export const forgetOldAssistants = ({ act, now }: Acting): Promise<void> =>
  act(({ tx }) =>
    queries.forget(tx, now, {
      unusedBefore: isoAfter(now, -registrationMs),
      usedBefore: isoAfter(now, -forgottenAfterMs),
    }),
  );

const answer = (
  { access, refresh, accessExpiresAt }: TokenPair,
  scopes: readonly string[],
  now: string,
): Tokens => ({
  access_token: access,
  token_type: 'Bearer',
  expires_in: Math.floor((accessExpiresAt - Date.parse(now)) / 1000),
  refresh_token: refresh,
  scope: scopes.join(' '),
});

const doesNotWork = (what: string) =>
  new OAuthRefusal('invalid_grant', `This ${what} does not work. Connect again.`);
