import type * as OAuth from 'oauth4webapi';
import { parseEmail } from '../../domain/email.ts';
import { AppError, serviceUnavailable } from '../../domain/errors.ts';
import { clockToleranceSeconds, type ProvidedIdentity } from '../../domain/identity-provider.ts';
import { isPrivate, type Resolve } from '../../lib/addresses.ts';
import type { Clock } from '../../lib/clock.ts';
import { createDialer, type Guard } from '../../lib/dial.ts';
import { createGate, GateClosed } from '../../lib/gate.ts';
import { includesAddress } from '../../lib/network.ts';

export interface OidcClient {
  issuer: string;
  clientId: string;
  /** Empty: a public client. */
  clientSecret: string;
  name: string;
  scopes: string;
  groupsClaim: string;
}

const metadataKeptMs = 3_600_000;
/** While the provider is away, one attempt in this time is enough. */
const metadataRetryMs = 2_000;
const retryAfterSeconds = 5;
const maxAnswerBytes = 1_000_000;
/** The others wait, so that a crowd at the door does not hold up others. */
const atOnce = { most: 8, maxWaiting: 500, maxWaitMs: 10_000 };
const maxGroups = 1_000;
const loopback = ['127.0.0.0/8', '::1'];

interface Options {
  clock: Clock;
  resolve?: Resolve;
}

/** What a sign-in that has begun must find again when the person comes back. Secret, for this browser alone. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

/** The provider's answer signs no person in. The message is for the log, without anything of the answer. */
export class IdentityRefused extends Error {}

export type IdentityProvider = ReturnType<typeof createOidcProvider>;

/**
 * Any OpenID provider, by discovery: code flow with PKCE, state and nonce. While it cannot be reached, every function raises
 * `service_unavailable`. The library is loaded with the first sign-in.
 */
export function createOidcProvider(settings: OidcClient, { clock, resolve }: Options) {
  const issuer = new URL(settings.issuer);
  const issuerHost = issuer.hostname.replace(/^\[|\]$/g, '');
  // The operator named the issuer, so its host may be private. What its metadata names beside it may not.
  const guard: Guard = (address, { protocol, host }) => {
    if (protocol === 'http:')
      return includesAddress(loopback, address)
        ? null
        : 'must start with https://; http:// is only for localhost';
    return host !== issuerHost && isPrivate(address) ? 'leads to a private address' : null;
  };
  const dialer = createDialer({ guard, resolve, maxAnswerBytes });
  const gate = createGate(atOnce);
  let known: { metadata: OAuth.AuthorizationServer; at: number } | undefined;
  let asked: { metadata: Promise<OAuth.AuthorizationServer>; at: number } | undefined;

  async function dial(
    url: string,
    request: { method: string; headers: Record<string, string>; body?: unknown },
  ) {
    try {
      const { status, headers, body, isCut } = await dialer.request(url, {
        method: request.method,
        headers: request.headers,
        body: request.body === undefined || request.body === null ? undefined : String(request.body),
      });
      if (isCut || status >= 500 || status === 429) throw away(`it answered ${isCut ? 'too much' : status}`);
      const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      );
      const isEmpty = status === 204 || status === 304;
      return new Response(isEmpty ? null : new Uint8Array(body), { status, headers: kept });
    } catch (cause) {
      throw cause instanceof AppError ? cause : away(cause);
    }
  }

  /** What the library needs for each request. Plain http is only for loopback, as the guard sees to. */
  const optionsOf = (oauth: typeof OAuth) => ({
    [oauth.customFetch]: dial,
    [oauth.allowInsecureRequests]: issuer.protocol === 'http:',
  });

  async function discover(oauth: typeof OAuth): Promise<OAuth.AuthorizationServer> {
    const answer = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...optionsOf(oauth) });
    const metadata = await oauth.processDiscoveryResponse(issuer, answer);
    known = { metadata, at: clock() };
    return metadata;
  }

  /** Asked for again after an hour. While the provider is away, what it said last counts. */
  async function metadataOf(oauth: typeof OAuth): Promise<OAuth.AuthorizationServer> {
    const now = clock();
    if (known && Math.abs(now - known.at) < metadataKeptMs) return known.metadata;
    if (!asked || Math.abs(now - asked.at) >= metadataRetryMs) asked = { metadata: discover(oauth), at: now };
    try {
      return await asked.metadata;
    } catch (cause) {
      if (known) return known.metadata;
      throw cause instanceof AppError ? cause : away(cause);
    }
  }

  async function load() {
    const oauth = await import('oauth4webapi');
    const metadata = await metadataOf(oauth);
    const client: OAuth.Client = {
      client_id: settings.clientId,
      [oauth.clockSkew]: Math.round((clock() - Date.now()) / 1000),
      [oauth.clockTolerance]: clockToleranceSeconds,
    };
    return { oauth, metadata, client, options: optionsOf(oauth) };
  }
  type Loaded = Awaited<ReturnType<typeof load>>;

  /** Many providers only take a secret in the way that they name. */
  function authenticationOf({ oauth, metadata }: Loaded): OAuth.ClientAuth {
    if (settings.clientSecret === '') return oauth.None();
    const ways = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return ways.includes('client_secret_basic') || !ways.includes('client_secret_post')
      ? oauth.ClientSecretBasic(settings.clientSecret)
      : oauth.ClientSecretPost(settings.clientSecret);
  }

  /** The library asks for new keys once a minute. A provider may change them sooner, so an unknown key is asked for at once. */
  async function checkSignature({ oauth, metadata, options }: Loaded, answer: Response): Promise<void> {
    try {
      await oauth.validateApplicationLevelSignature(metadata, answer, options);
    } catch (cause) {
      if (!(cause instanceof oauth.OperationProcessingError) || cause.code !== oauth.KEY_SELECTION)
        throw cause;
      const unread = { ...metadata };
      await oauth.validateApplicationLevelSignature(unread, answer, options);
      if (known?.metadata === metadata) known.metadata = unread;
    }
  }

  /** Some providers say in the ID token only who it is, and the rest at the userinfo endpoint. */
  async function claimsOf(loaded: Loaded, tokens: OAuth.TokenEndpointResponse): Promise<Claims> {
    const { oauth, metadata, client, options } = loaded;
    const idToken = oauth.getValidatedIdTokenClaims(tokens);
    if (!idToken) throw new IdentityRefused('it gave no ID token');
    const isWhole = idToken.email !== undefined && idToken[settings.groupsClaim] !== undefined;
    if (isWhole || metadata.userinfo_endpoint === undefined) return idToken;
    const answer = await oauth.userInfoRequest(metadata, client, tokens.access_token, options);
    const more = await oauth.processUserInfoResponse(metadata, client, idToken.sub, answer);
    return { ...more, ...idToken };
  }

  async function finish(
    answer: URLSearchParams,
    pending: PendingSignIn,
    redirectUri: string,
  ): Promise<ProvidedIdentity> {
    const loaded = await load();
    const { oauth, metadata, client, options } = loaded;
    try {
      const parameters = oauth.validateAuthResponse(metadata, client, answer, pending.state);
      const response = await oauth.authorizationCodeGrantRequest(
        metadata,
        client,
        authenticationOf(loaded),
        parameters,
        redirectUri,
        pending.verifier,
        options,
      );
      const tokens = await oauth.processAuthorizationCodeResponse(metadata, client, response, {
        expectedNonce: pending.nonce,
        requireIdToken: true,
      });
      await checkSignature(loaded, response);
      return identityOf(await claimsOf(loaded, tokens), settings);
    } catch (cause) {
      throw cause instanceof AppError || cause instanceof IdentityRefused ? cause : refused(cause);
    }
  }

  return {
    issuer: settings.issuer,
    /** What people call it. */
    name: settings.name,

    /** The address at the provider to which the person goes, and what the caller must keep meanwhile. */
    async begin(redirectUri: string): Promise<{ url: string; pending: PendingSignIn }> {
      const { oauth, metadata } = await load();
      if (metadata.authorization_endpoint === undefined) throw away('it has no authorization endpoint');
      const pending = {
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
      };
      const url = new URL(metadata.authorization_endpoint);
      const parameters = {
        client_id: settings.clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: settings.scopes,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return { url: url.href, pending };
    },

    /** `answer` are the parameters with which the person came back. Raises `IdentityRefused`. */
    finish: (...given: Parameters<typeof finish>) => gate(() => finish(...given)).catch(whenClosed),

    /** Asks the provider what it offers, for the operator. Raises `IdentityRefused` if it cannot be used. */
    async inspect() {
      const oauth = await import('oauth4webapi');
      const answer = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...optionsOf(oauth) });
      const date = Date.parse(answer.headers.get('date') ?? '');
      const metadata = await oauth.processDiscoveryResponse(issuer, answer).catch((cause: unknown) => {
        throw refused(cause);
      });
      for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
        if (metadata[name] === undefined) throw new IdentityRefused(`its metadata have no ${name}`);
      return {
        /** Null if it does not say. */
        offersPkce: metadata.code_challenge_methods_supported?.includes('S256') ?? null,
        /** By how much its clock is ahead of ours; null if it does not say. */
        aheadSeconds: Number.isNaN(date) ? null : Math.round((date - clock()) / 1_000),
      };
    },

    /** Where a person goes to sign out of the provider too; null if it has no such address. */
    async endSession(returnTo: string): Promise<string | null> {
      const { metadata } = await load();
      if (metadata.end_session_endpoint === undefined) return null;
      const url = new URL(metadata.end_session_endpoint);
      url.searchParams.set('client_id', settings.clientId);
      url.searchParams.set('post_logout_redirect_uri', returnTo);
      return url.href;
    },

    close: dialer.close,
  };
}

type Claims = { readonly sub: string; readonly [name: string]: unknown };

function identityOf(claims: Claims, { issuer, groupsClaim }: OidcClient) {
  const groups = claims[groupsClaim];
  const listed = Array.isArray(groups) ? groups : [groups];
  // OpenID Connect Core 1.0, 2: at most 255 characters of ASCII.
  if (!/^[\x20-\x7e]{1,255}$/.test(claims.sub)) throw new IdentityRefused('its subject is no name');
  return {
    issuer,
    subject: claims.sub,
    email: verifiedAddress(claims),
    name: typeof claims.name === 'string' ? claims.name : '',
    groups: listed.filter((group) => typeof group === 'string').slice(0, maxGroups),
  };
}

/** Microsoft Entra says `xms_edov` for an address whose domain its owner proved. Some providers write these as texts. */
function verifiedAddress({ email, email_verified, xms_edov }: Claims): string | null {
  const isVerified = [email_verified, xms_edov].some((claim) =>
    [true, 'true', 1, '1'].includes(claim as string),
  );
  if (!isVerified || typeof email !== 'string') return null;
  try {
    return parseEmail(email);
  } catch {
    return null;
  }
}

const away = (cause: unknown) =>
  serviceUnavailable('The sign-in provider does not answer. Try again in a moment.', {
    cause,
    retryAfterSeconds,
  });

function whenClosed(cause: unknown): never {
  throw cause instanceof GateClosed ? away(cause) : cause;
}

/** In the library's words. What the provider wrote could contain anything, so only a short code of it is kept. */
function refused(cause: unknown): IdentityRefused {
  const { message, error } = cause as { message?: string; error?: unknown };
  const code = typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : '';
  return new IdentityRefused(`${message ?? 'unknown'}${code}`);
}
