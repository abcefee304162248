import { hashSecret } from '../domain/api-key.ts';
import { AppError, notFound } from '../domain/errors.ts';
import {
  answersChallenge,
  codeLifetimeMs,
  familyOf,
  type Grant,
  isChallenge,
  matchesRedirect,
  maxGrantsPerUser,
  newCode,
  newTokens,
  type OAuthClient,
  OAuthRefusal,
  redirectWith,
  refreshLeewayMs,
  sameResource,
  scopesAsked,
  type TokenPair,
} from '../domain/oauth.ts';
import type { Principal } from '../domain/principal.ts';
import { dayMs } from '../domain/rate-limit.ts';
import { networkOf } from '../lib/network.ts';
import { seal, sealingKey, unseal } from '../lib/seal.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

/** Clients of one network are counted for a day, and a client that no person has allowed anything is kept for a day. */
const registrationMs = dayMs;
const maxClientsPerNetwork = 100;
/** Clients without a grant, in all. Beyond, the oldest go: refusing new ones would let a flood lock all assistants out. */
const maxWaitingClients = 5_000;
const forgottenAfterMs = 90 * dayMs;

/** What a client asks of a person, as its address says. */
export interface AuthorizationRequest {
  response_type?: string | undefined;
  client_id: string;
  redirect_uri: string;
  code_challenge?: string | undefined;
  code_challenge_method?: string | undefined;
  scope?: string | undefined;
  state?: string | undefined;
  resource?: string | undefined;
}

/** This server, under the address that the caller used: the issuer, and what its tokens are for. */
export interface Issuer {
  issuer: string;
  resource: string;
}

export interface Tokens {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  refresh_token: string;
  scope: string;
}

/** Either a question for the person, or where to send the browser with the refusal. */
export type Consent = { redirect: string } | { client_name: string; redirect_uri: string; scopes: string[] };

export type OAuth = ReturnType<typeof createOAuth>;

/** Assistants connect by OAuth 2.1, and get tokens for `/mcp` alone. */
export function createOAuth({
  store: { oauth },
  clock,
  newId,
}: {
  store: Pick<Store, 'oauth'>;
  clock: Clock;
  newId: NewId;
}) {
  const now = () => new Date(clock()).toISOString();
  const ago = (ms: number) => new Date(clock() - ms).toISOString();

  /** Raises an error for the person, who must not be sent to an address that no client registered. */
  async function clientOf(request: AuthorizationRequest): Promise<OAuthClient> {
    const client = await oauth.findClient(request.client_id);
    if (!client)
      throw new AppError(
        'not_found',
        'This server does not know the assistant. Connect it again from the start.',
      );
    if (!client.redirect_uris.some((known) => matchesRedirect(known, request.redirect_uri)))
      throw new AppError(
        'validation_error',
        'redirect_uri must be an address that the assistant registered. Nothing was allowed.',
      );
    return client;
  }

  /** Errors that go to the client, at its own address. */
  function check(request: AuthorizationRequest, { resource }: Issuer): OAuthRefusal | undefined {
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

  const refusedTo = (request: AuthorizationRequest, { issuer }: Issuer, refusal: OAuthRefusal) =>
    redirectWith(request.redirect_uri, {
      error: refusal.code,
      error_description: refusal.message,
      state: request.state,
      iss: issuer,
    });

  const answer = ({ access, refresh, accessExpiresAt }: TokenPair, scopes: readonly string[]): Tokens => ({
    access_token: access,
    token_type: 'Bearer',
    expires_in: Math.floor((accessExpiresAt - clock()) / 1000),
    refresh_token: refresh,
    scope: scopes.join(' '),
  });

  const doesNotWork = (what: string) =>
    new OAuthRefusal('invalid_grant', `This ${what} does not work. Connect again.`);

  return {
    /** Anybody may. Raises `rate_limited`. */
    async register(
      { name, redirect_uris }: Pick<OAuthClient, 'name' | 'redirect_uris'>,
      address: string,
    ): Promise<OAuthClient> {
      const client: OAuthClient = {
        id: newId(),
        name,
        redirect_uris,
        network: networkOf(address),
        created_at: now(),
        used_at: null,
      };
      const bounds = {
        since: ago(registrationMs),
        perNetwork: maxClientsPerNetwork,
        waiting: maxWaitingClients,
      };
      if ((await oauth.addClient(client, bounds)) === 'ok') return client;
      throw new AppError('rate_limited', 'Too many assistants were registered from this address today.', {
        retryAfterSeconds: 3_600,
      });
    },

    /** What to ask the person. Raises `not_found` and `validation_error` where the client has no address for a refusal. */
    async look(request: AuthorizationRequest, issuer: Issuer): Promise<Consent> {
      const client = await clientOf(request);
      const refusal = check(request, issuer);
      if (refusal) return { redirect: refusedTo(request, issuer, refusal) };
      return {
        client_name: client.name,
        redirect_uri: request.redirect_uri,
        scopes: scopesAsked(request.scope),
      };
    },

    /** Where to send the browser. `scopes`: what the person allows; null if nothing. */
    async decide(
      principal: Principal,
      request: AuthorizationRequest,
      scopes: readonly string[] | null,
      issuer: Issuer,
    ): Promise<string> {
      const client = await clientOf(request);
      const allowed = scopesAsked(request.scope).filter((scope) => scopes?.includes(scope));
      const refusal =
        check(request, issuer) ??
        (allowed.length === 0
          ? new OAuthRefusal('access_denied', 'The person did not allow it.')
          : undefined);
      if (refusal) return refusedTo(request, issuer, refusal);
      const { code, code_hash } = newCode();
      const code_expires_at = new Date(clock() + codeLifetimeMs).toISOString();
      const isAdded = await oauth.addGrant(
        {
          id: newId(),
          user_id: principal.userId,
          client_id: client.id,
          scopes: allowed,
          resource: issuer.resource,
          redirect_uri: request.redirect_uri,
          code_hash,
          code_challenge: request.code_challenge ?? '',
          code_expires_at,
          created_at: now(),
          expires_at: code_expires_at,
        },
        maxGrantsPerUser,
      );
      if (!isAdded)
        throw new AppError(
          'limit_reached',
          `You can connect at most ${maxGrantsPerUser} assistants; disconnect one first.`,
        );
      return redirectWith(request.redirect_uri, { code, state: request.state, iss: issuer.issuer });
    },

    /** Raises an `OAuthRefusal`. */
    async useCode(given: {
      code: string;
      client_id: string;
      code_verifier: string;
      redirect_uri?: string | undefined;
      resource?: string | undefined;
    }): Promise<Tokens> {
      const { client_id, code_verifier, redirect_uri, resource } = given;
      const made = newTokens(clock());
      const scopes = await oauth.useCode(
        {
          code_hash: hashSecret(given.code),
          now: now(),
          matches: (grant) =>
            grant.client_id === client_id &&
            (redirect_uri === undefined || grant.redirect_uri === redirect_uri) &&
            (resource === undefined || sameResource(resource, grant.resource)) &&
            answersChallenge(code_verifier, grant.code_challenge),
        },
        made.hashes,
      );
      if (!scopes) throw doesNotWork('code');
      return answer(made, scopes);
    },

    /** A token that was sent again because its answer was lost gets the same pair. Raises an `OAuthRefusal`. */
    async refresh(given: {
      refresh_token: string;
      client_id: string;
      resource?: string | undefined;
    }): Promise<Tokens> {
      const { client_id, resource } = given;
      const family = familyOf(given.refresh_token);
      if (family === undefined) throw doesNotWork('refresh token');
      const { hashes, ...made } = newTokens(clock(), family);
      const key = sealingKey('refresh token', given.refresh_token);
      const refreshed = await oauth.refresh(
        {
          family_hash: hashSecret(family),
          refresh_hash: hashSecret(given.refresh_token),
          now: now(),
          leewaySince: ago(refreshLeewayMs),
          matches: (grant) =>
            grant.client_id === client_id &&
            (resource === undefined || sameResource(resource, grant.resource)),
          gave: (successor) => unseal(key, successor) !== undefined,
        },
        { ...hashes, successor: seal(key, JSON.stringify(made)) },
      );
      if (!refreshed) throw doesNotWork('refresh token');
      const earlier = refreshed.successor && unseal(key, refreshed.successor);
      const pair: TokenPair = earlier ? JSON.parse(earlier) : made;
      return answer(pair, refreshed.scopes);
    },

    /** Ends the grant of this token. The answer is the same if there was none. */
    revokeByToken: (token: string, clientId: string) => oauth.revokeByToken(hashSecret(token), clientId),

    list: (principal: Principal): Promise<Grant[]> => oauth.list(principal.userId, now()),

    /** Raises `not_found` for a grant of somebody else. */
    async revoke(principal: Principal, id: string): Promise<void> {
      if (!(await oauth.remove(principal.userId, id))) throw notFound('Grant');
    },

    /** For the housekeeping. */
    forgetOld: () =>
      oauth.forget(now(), { unusedBefore: ago(registrationMs), usedBefore: ago(forgottenAfterMs) }),
  };
}
